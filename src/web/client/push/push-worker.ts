/**
 * The service worker of the web app: it shows what is pushed and opens its card, and answers no request of a page. What
 * it is built to lies at a fixed address, for browsers look there for the next version.
 */

/** What is needed of a service worker's scope; the app's own types know windows alone. */
interface WorkerScope {
  readonly registration: {
    showNotification(
      title: string,
      options: { readonly body: string; readonly tag: string; readonly data: string },
    ): Promise<void>;
  };
  readonly clients: {
    matchAll(options: { readonly type: "window" }): Promise<readonly WorkerClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  readonly location: { readonly href: string; readonly origin: string };
  readonly navigator: { readonly language: string };
  addEventListener(type: "push", listener: (event: PushEvent) => void): void;
  addEventListener(type: "notificationclick", listener: (event: ClickEvent) => void): void;
}
interface WorkerClient {
  readonly url: string;
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
}
interface PushEvent {
  readonly data: { json(): Pushed } | null;
  waitUntil(work: Promise<unknown>): void;
}
interface ClickEvent {
  readonly notification: { readonly data: unknown; close(): void };
  waitUntil(work: Promise<unknown>): void;
}
/** As the server makes it, in `web-pushes.ts`. */
interface Pushed {
  readonly title: string;
  readonly message: string;
  /** Of the question: told again it is shown once. */
  readonly tag: string;
  readonly url: string | null;
}

declare const self: WorkerScope;

// A module, whose `self` is its own: else it would be that of windows.
export {};

self.addEventListener("push", (event) => {
  const { title, message, tag, url } = event.data?.json() ?? {
    title: "Overlay Companion",
    message: /^de\b/.test(self.navigator.language)
      ? "Jemand wird etwas gefragt."
      : "Somebody is asked something.",
    tag: "unknown",
    url: "/approvals",
  };
  event.waitUntil(
    self.registration.showNotification(title, { body: message, tag, data: url ?? "/approvals" }),
  );
});

self.addEventListener("notificationclick", (event) => {
  const { notification } = event;
  notification.close();
  event.waitUntil(open(String(notification.data)));
});

/** This file lies where the app begins. */
function ownPage(path: string): URL {
  return new URL(path.replace(/^\/(?!\/)/, "./"), self.location.href);
}

/** A page of ours alone, in a window that shows that already, or a new one. */
async function open(path: string): Promise<void> {
  const url = ownPage(path);
  const { href } = url.origin === self.location.origin ? url : ownPage("/approvals");
  const windows = await self.clients.matchAll({ type: "window" });
  const same = windows.find((one) => one.url === href);
  if (same !== undefined) await same.focus();
  else await self.clients.openWindow(href);
}
