import { readdirSync, readFileSync } from "node:fs";

const NS_PER_MS = 1e6;

/** CPU that a process, all its threads and its children took so far, in milliseconds. Linux. */
export function cpuMs(pid: number | undefined): number {
  if (pid === undefined) throw new Error("a process that was not started has no CPU time");
  let ms = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    ms += Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]) / NS_PER_MS;
    const children = read(`/proc/${pid}/task/${thread}/children`).trim();
    for (const child of children === "" ? [] : children.split(" ")) ms += cpuMs(Number(child));
  }
  return ms;
}

/** A thread may end between being listed and being read. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "0";
  }
}
