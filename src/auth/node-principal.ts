import type { Principal } from "./principal.ts";

const PREFIX = "node:";

/** As whom a server looks on at another one for those whom it shows the desktop: the owner hides from it what it hides from each. */
export function nodePrincipal(self: string, { role }: Pick<Principal, "role">, desktopId: string): Principal {
  return { id: `${PREFIX}${self}`, name: self, role, desktops: [desktopId] };
}

export function isNodePrincipal({ id }: Pick<Principal, "id">): boolean {
  return id.startsWith(PREFIX);
}
