import { parsePairingLink } from "../browser/wire/pairing-link.ts";
import { Connection } from "./connection.ts";
import {
  isStopped,
  keepMayOpen,
  keepPairing,
  keepStopped,
  mayOpenTabs,
  pairing,
  sharedTabs,
} from "./kept.ts";
import { Relay } from "./relay.ts";
import type { BridgeState, Reply, Request, TabInfo } from "./state.ts";

// The service worker: consent and relay. The browser ends it when nothing happens and starts it again at will, so all
// that lasts is kept in its storage.

const ALARM = "reconnect";
/** As often as the browser allows. */
const ALARM_MINUTES = 0.5;

const relay: Relay = new Relay(
  (message) => connection.send(message),
  () => void showBadge(),
);
const connection: Connection = new Connection({
  command: (type, params, id) => relay.command(type, params, id),
  changed: () => void showBadge(),
  connected: () => void relay.tell(),
  // Nobody watches over what stays attached.
  lost: () => void relay.detachAll(),
});

/** The state in one sign and a colour; the popup has it in words. */
async function showBadge(): Promise<void> {
  const count = (await sharedTabs()).size;
  const { kind } = connection.status;
  const [text, color] =
    kind === "stopped"
      ? ["STOP", "#b3261e"]
      : kind === "connected"
        ? [String(count), count > 0 ? "#1a7f37" : "#57606a"]
        : kind === "unpaired"
          ? ["", "#57606a"]
          : ["!", "#9a6700"];
  await chrome.action.setBadgeText({ text });
  await chrome.action.setBadgeBackgroundColor({ color });
  await chrome.action.setBadgeTextColor({ color: "#ffffff" });
}

async function stateNow(): Promise<BridgeState> {
  const known = await pairing();
  const server = known === null ? null : `${known.server ?? "Server"} at ${new URL(known.url).host}`;
  return { status: connection.status, server, mayOpenTabs: await mayOpenTabs(), tabs: await tabsNow() };
}

async function tabsNow(): Promise<TabInfo[]> {
  const shared = await sharedTabs();
  const targets = new Map((await chrome.debugger.getTargets()).map((target) => [target.tabId, target]));
  const [front] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
  return (await chrome.tabs.query({})).flatMap(({ id }) => {
    const { title, url } = Object(targets.get(id));
    // The browser's own pages and those of extensions cannot be shared.
    if (id === undefined || typeof url !== "string" || !/^(https?:|about:blank)/.test(url)) return [];
    const words = typeof title === "string" && title !== "" ? title : url;
    return [{ id, title: words, url, isShared: shared.has(id), isActive: id === front?.id }];
  });
}

async function pair(link: string): Promise<void> {
  const { url, id, code } = parsePairingLink(link);
  await keepPairing({ url, keyId: id, key: code, isPending: true, server: null });
  await keepStopped(false);
  await relay.shareNone();
  connection.hangUp({ kind: "connecting" });
  await connection.ensure();
}

async function stop(): Promise<void> {
  connection.send({ event: "stopped" });
  connection.hangUp({ kind: "stopped" });
  await keepStopped(true);
  await keepMayOpen(false);
  await relay.shareNone();
}

async function answer(request: Request): Promise<BridgeState> {
  switch (request.do) {
    case "state":
      await connection.ensure();
      break;
    case "pair":
      await pair(request.link);
      break;
    case "share":
      await relay.share(request.tabId, request.isShared);
      break;
    case "open_tabs":
      await keepMayOpen(request.isAllowed);
      break;
    case "stop":
      await stop();
      break;
    case "resume":
      await keepStopped(false);
      await connection.ensure();
      break;
    case "forget":
      await keepPairing(null);
      await keepMayOpen(false);
      await relay.shareNone();
      connection.hangUp({ kind: "unpaired" });
  }
  return stateNow();
}

chrome.runtime.onMessage.addListener((request: Request, sender, reply: (reply: Reply) => void) => {
  // Only the extension's own pages: it has no scripts in others.
  if (sender.id !== chrome.runtime.id || !sender.url?.startsWith(chrome.runtime.getURL(""))) return false;
  answer(request).then(
    (state) => reply({ state }),
    (error: unknown) => reply({ error: error instanceof Error ? error.message : String(error) }),
  );
  return true;
});
chrome.runtime.onInstalled.addListener(({ reason }) => {
  void connection.ensure();
  if (reason === "install") void chrome.tabs.create({ url: chrome.runtime.getURL("welcome.html") });
});
chrome.runtime.onStartup.addListener(() => void connection.ensure());
chrome.alarms.onAlarm.addListener(() => void connection.ensure());
void chrome.alarms.create(ALARM, { periodInMinutes: ALARM_MINUTES });
relay.listen();
void isStopped().then(() => connection.ensure());
