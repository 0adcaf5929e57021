import { api } from "../shell/api-client.ts";
import { below } from "../shell/base-path.ts";

const WORKER = below("/push-worker.js");
/** Set once this window has told the server that its person was here. */
const RENEWED = "push-renewed";

/** Whether a push can reach this browser: `unable` over plain HTTP from elsewhere, and where it has no such thing. */
export type PushState = "unable" | "off" | "on" | "denied";

/** The registration of our worker; null where there is none, or none can be. */
async function registration(): Promise<ServiceWorkerRegistration | null> {
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) return null;
  return (await navigator.serviceWorker.getRegistration(WORKER)) ?? null;
}

export async function pushState(): Promise<PushState> {
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) return "unable";
  if (Notification.permission === "denied") return "denied";
  const subscription = await (await registration())?.pushManager.getSubscription();
  return subscription == null ? "off" : "on";
}

/** Asks the person for leave, then the browser's push service. Throws what either says. */
export async function turnOn(publicKey: string): Promise<void> {
  const worker = await navigator.serviceWorker.register(WORKER, { updateViaCache: "none" });
  await navigator.serviceWorker.ready;
  const subscription = await worker.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  });
  await tell(subscription);
}

export async function turnOff(): Promise<void> {
  const subscription = await (await registration())?.pushManager.getSubscription();
  if (subscription == null) return;
  // The server may know nothing of it any more: here it ends all the same.
  await Promise.allSettled([api.unsubscribePush(subscription.endpoint)]);
  await subscription.unsubscribe();
}

/** The person was here, and may still be told; once a visit. Where the server has another key by now, it ends. */
export async function renew(publicKey: string): Promise<void> {
  const subscription = await (await registration())?.pushManager.getSubscription();
  if (subscription == null || sessionStorage.getItem(RENEWED) !== null) return;
  const { applicationServerKey } = subscription.options;
  if (applicationServerKey !== null && base64url(applicationServerKey) !== publicKey) await turnOff();
  else await tell(subscription);
  sessionStorage.setItem(RENEWED, "1");
}

async function tell(subscription: PushSubscription): Promise<void> {
  const { p256dh = "", auth = "" } = subscription.toJSON().keys ?? {};
  await api.subscribePush({ endpoint: subscription.endpoint, keys: { p256dh, auth } });
}

function base64url(buffer: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
