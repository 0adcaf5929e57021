import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { until } from "../../support/until.ts";

/** The supervisor of a node's server, as Linux knows it, once it is connected to its etcd. */
export async function supervisorOf(server: number, mostMs = 60_000): Promise<number> {
  return await until(`a supervisor of ${server}`, () => childOf(server), mostMs);
}

function childOf(server: number): number | null {
  const children = readFileSync(`/proc/${server}/task/${server}/children`, "utf8").trim().split(" ");
  for (const child of children) {
    const words = readFileSync(`/proc/${child}/cmdline`, "utf8");
    if (words.includes("supervise") && isConnected(child)) return Number(child);
  }
  return null;
}

/** Whether it has a TCP connection that is established. */
function isConnected(pid: string): boolean {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? [];
      return inode === undefined ? [] : [inode];
    }),
  );
  const lines = readFileSync(`/proc/${pid}/net/tcp`, "utf8").split("\n");
  return lines.some((line) => {
    const [, , , state, , , , , , inode = ""] = line.trim().split(/\s+/);
    return state === "01" && sockets.has(inode);
  });
}
