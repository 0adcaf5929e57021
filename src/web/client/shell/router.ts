import { signal } from "@preact/signals";
import { below, withoutBase } from "./base-path.ts";
import { type Route, routeOf } from "./route.ts";

/** The page of the current address. */
export const route = signal(here());

function here(): Route {
  return routeOf(withoutBase(location.pathname), location.search);
}

/** Where somebody would go who is asked first; null while nobody is. */
export const leaving = signal<string | null>(null);

/** Whether something of the page would be lost; the page sets it, and asks where `leaving` says so. */
let isKept = false;
let address = location.href;

function follow(): void {
  address = location.href;
  route.value = here();
}

/** Asks before the page is left, within the app or by the browser, until the returned function is called. */
export function keepPage(): () => void {
  const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
  isKept = true;
  addEventListener("beforeunload", warn);
  return () => {
    isKept = false;
    leaving.value = null;
    removeEventListener("beforeunload", warn);
  };
}

/** Goes to a page of this app without loading it anew. */
export function navigate(path: string): void {
  if (isKept) {
    leaving.value = path;
    return;
  }
  history.pushState(null, "", below(path));
  follow();
  scrollTo(0, 0);
}

/** Goes where `leaving` says, whatever is lost by it. */
export function leave(): void {
  const path = leaving.value;
  isKept = false;
  leaving.value = null;
  if (path !== null) navigate(path);
}

function onPopState(): void {
  if (isKept) {
    leaving.value = withoutBase(location.pathname) + location.search + location.hash;
    // The address is that of the page that is still there.
    history.pushState(null, "", address);
    return;
  }
  follow();
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
  addEventListener("popstate", onPopState);
  document.addEventListener("click", onClick);
}
