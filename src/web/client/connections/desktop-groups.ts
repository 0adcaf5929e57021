import type { DesktopInfo } from "../../api/api.ts";

/** Between the name of a group and that of a desktop in it. */
const BETWEEN = " / ";

/** Desktops that stand together; `name` is null for those of no group. */
export interface DesktopGroup {
  readonly name: string | null;
  readonly desktops: readonly DesktopInfo[];
}

/** "Office / build-vm" is the desktop "build-vm" of the group "Office". */
export function shortName({ name }: Pick<DesktopInfo, "name">): string {
  const group = groupName(name);
  return group === null ? name : name.slice(group.length + BETWEEN.length).trim();
}

function groupName(name: string): string | null {
  const at = name.indexOf(BETWEEN);
  return at <= 0 || name.slice(at + BETWEEN.length).trim() === "" ? null : name.slice(0, at);
}

/** Those of no group first, then each group in the order of the alphabet; within one they stay in their order. */
export function groupsOf(desktops: readonly DesktopInfo[]): readonly DesktopGroup[] {
  const groups = new Map<string | null, DesktopInfo[]>([[null, []]]);
  for (const desktop of desktops) {
    const name = groupName(desktop.name);
    groups.set(name, [...(groups.get(name) ?? []), desktop]);
  }
  return [...groups]
    .map(([name, members]) => ({ name, desktops: members }))
    .filter((group) => group.desktops.length > 0)
    .sort((a, b) => (a.name ?? "").localeCompare(b.name ?? ""));
}

/** Whether a desktop has every word that is looked for: in its name with its group, its address, its protocol or its agents. */
export function isFound(desktop: DesktopInfo, query: string): boolean {
  const { name, host, port, protocol, agents } = desktop;
  const text = `${name} ${host}:${port} ${protocol} ${agents.join(" ")}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
