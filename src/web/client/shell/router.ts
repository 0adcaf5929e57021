import { signal } from "@preact/signals";
import { below, withoutBase } from "./base-path.ts";
import { type Route, routeOf } from "./route.ts";

/** The page of the current address. */
export const route = signal(here());

function here(): Route {
  return routeOf(withoutBase(location.pathname), location.search);
}

function follow(): void {
  route.value = here();
}

/** Goes to a page of this app without loading it anew. */
export function navigate(path: string): void {
  history.pushState(null, "", below(path));
  follow();
  scrollTo(0, 0);
}

function onClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link?.target !== "" || link.origin !== location.origin) return;
  const path = withoutBase(link.pathname);
  if (routeOf(path, link.search).page === "unknown" || link.hasAttribute("download")) return;
  event.preventDefault();
  navigate(path + link.search + link.hash);
}

/** Follows the history and takes over clicks on links to our own pages; modified clicks stay the browser's. */
export function startRouter(): void {
  addEventListener("popstate", follow);
  document.addEventListener("click", onClick);
}
