import { options, type VNode } from "preact";

/**
 * Below which path of its host the app is: "/oc", or "" at its root. Its scripts lie in `assets` there. All code names
 * addresses from the app's root on; the base comes before them where they leave for the browser, and nowhere else.
 */
const BASE_PATH = /^https?:\/\/[^/]+(.*)\/assets\/[^/]*$/.exec(import.meta.url)?.[1] ?? "";

/** What the browser is to be told for an address of ours; others as they are. */
export function below(address: string): string {
  return /^\/(?!\/)/.test(address) ? BASE_PATH + address : address;
}

/** The other way round. */
export function withoutBase(path: string): string {
  return path.startsWith(`${BASE_PATH}/`) ? path.slice(BASE_PATH.length) : path === BASE_PATH ? "/" : path;
}

/** From now on every link and picture of a page is below the base by itself. */
export function startBasePath(): void {
  if (BASE_PATH === "") return;
  const before = options.vnode;
  options.vnode = (vnode: VNode<{ href?: unknown; src?: unknown }>) => {
    if (typeof vnode.type === "string") {
      const { props } = vnode;
      if (typeof props.href === "string") props.href = below(props.href);
      if (typeof props.src === "string") props.src = below(props.src);
    }
    before?.(vnode);
  };
}
