import { readFileSync } from "node:fs";

/** Where the system puts core files, core(5): beside a program that crashes, or elsewhere, where a test does not look. */
export function areCoreFilesBeside(): boolean {
  return !/^[|@/]/.test(readFileSync("/proc/sys/kernel/core_pattern", "utf8"));
}

/** What a crash of a process may leave: the limit of a core file, and the parts of memory in it. */
export function coreRules(pid: number): { readonly limit: string; readonly filter: string } {
  const limits = readFileSync(`/proc/${pid}/limits`, "utf8");
  const [, soft = "", hard = ""] = /^Max core file size +(\S+) +(\S+)/m.exec(limits) ?? [];
  return { limit: `${soft}:${hard}`, filter: readFileSync(`/proc/${pid}/coredump_filter`, "utf8").trim() };
}
