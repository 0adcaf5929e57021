/** What outlives the worker, which the browser ends when nothing happens. */

/** With whom the browser is paired. `isPending`: by a one-time code that was not used yet. */
export interface KeptPairing {
  readonly url: string;
  readonly keyId: string;
  /** base64url. */
  readonly key: string;
  readonly isPending: boolean;
  /** As the server calls itself; null before it did. */
  readonly server: string | null;
}

const LOCAL = { pairing: "pairing", stopped: "stopped" } as const;
/** In memory alone: consent ends with the browser. */
const SESSION = { shared: "shared", opens: "opens" } as const;

export async function pairing(): Promise<KeptPairing | null> {
  const { pairing: kept } = await chrome.storage.local.get(LOCAL.pairing);
  const { url, keyId, key, isPending, server } = Object(kept);
  if (typeof url !== "string" || typeof keyId !== "string" || typeof key !== "string") return null;
  return {
    url,
    keyId,
    key,
    isPending: isPending === true,
    server: typeof server === "string" ? server : null,
  };
}

export async function keepPairing(pairing: KeptPairing | null): Promise<void> {
  if (pairing === null) await chrome.storage.local.remove(LOCAL.pairing);
  else await chrome.storage.local.set({ [LOCAL.pairing]: pairing });
}

export async function isStopped(): Promise<boolean> {
  return (await chrome.storage.local.get(LOCAL.stopped))[LOCAL.stopped] === true;
}

export async function keepStopped(isStopped: boolean): Promise<void> {
  await chrome.storage.local.set({ [LOCAL.stopped]: isStopped });
}

export async function sharedTabs(): Promise<ReadonlySet<number>> {
  const kept: unknown = (await chrome.storage.session.get(SESSION.shared))[SESSION.shared];
  return new Set(Array.isArray(kept) ? kept.filter((id): id is number => typeof id === "number") : []);
}

export async function keepShared(tabs: ReadonlySet<number>): Promise<void> {
  await chrome.storage.session.set({ [SESSION.shared]: [...tabs] });
}

export async function mayOpenTabs(): Promise<boolean> {
  return (await chrome.storage.session.get(SESSION.opens))[SESSION.opens] === true;
}

export async function keepMayOpen(isAllowed: boolean): Promise<void> {
  await chrome.storage.session.set({ [SESSION.opens]: isAllowed });
}
