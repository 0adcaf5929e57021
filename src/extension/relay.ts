import {
  type Command,
  isAllowedMethod,
  isCommand,
  isToldEvent,
  isWebAddress,
} from "../browser/wire/calls.ts";
import { NODES_A_MESSAGE, slimNodes, type TreeNode } from "../browser/wire/tree-nodes.ts";
import { Refusal } from "./connection.ts";
import { isStopped, keepShared, mayOpenTabs, sharedTabs } from "./kept.ts";
import { loadTreePart, treePartOf } from "./tree-part.ts";

const DEBUGGER_VERSION = "1.3";

/** Does what the server asks, in shared tabs alone and by calls of the list alone. */
export class Relay {
  readonly #post: (message: object) => void;
  readonly #changed: () => void;
  /** Of changes of what is shared: each begins with what the one before left. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(post: (message: object) => void, changed: () => void) {
    this.#post = post;
    this.#changed = changed;
  }

  /** Throws Refusal. */
  async command(type: string, params: Record<string, unknown>, id: string): Promise<unknown> {
    if (await isStopped()) throw new Refusal("stopped", "the person at the browser pressed Stop");
    if (!isCommand(type)) throw new Refusal("method_denied", `${type} is no command of this extension`);
    if (type === "tabs") return await this.#tabs();
    if (type === "create_tab") return await this.#create(params["url"]);
    const tabId = await this.#sharedTab(params["tab_id"]);
    try {
      return await this.#inTab(type, tabId, params, id);
    } catch (error) {
      throw refusalOf(error);
    }
  }

  async #inTab(
    type: Exclude<Command, "tabs" | "create_tab">,
    tabId: number,
    params: Record<string, unknown>,
    id: string,
  ): Promise<unknown> {
    switch (type) {
      case "close_tab":
        await chrome.tabs.remove(tabId);
        // Told before the answer: who reads that can rely on it.
        return await this.share(tabId, false);
      case "activate":
        await chrome.tabs.update(tabId, { active: true });
        return {};
      case "attach":
        return await attach(tabId);
      case "detach":
        return await chrome.debugger.detach({ tabId });
      case "cdp":
        return await this.#cdp(tabId, params, id);
    }
  }

  /** Adds or takes away a tab; without consent nothing of it is left. */
  async share(tabId: number, isShared: boolean): Promise<void> {
    await this.#change((tabs) => {
      if (isShared) tabs.add(tabId);
      else tabs.delete(tabId);
    });
    if (!isShared) await chrome.debugger.detach({ tabId }).catch(() => undefined);
  }

  async shareNone(): Promise<void> {
    await this.#change((tabs) => tabs.clear());
    await this.detachAll();
  }

  async detachAll(): Promise<void> {
    for (const { attached, tabId } of await chrome.debugger.getTargets()) {
      // Those of other debuggers are refused, and stay.
      if (attached && tabId !== undefined) await chrome.debugger.detach({ tabId }).catch(() => undefined);
    }
  }

  /** Says which tabs are shared. */
  async tell(): Promise<void> {
    this.#post({ event: "shared", tabs: [...(await sharedTabs())] });
  }

  /** What happens in the browser; called once, when the worker starts. */
  listen(): void {
    chrome.debugger.onEvent.addListener(({ tabId, sessionId }, method, params) => {
      if (tabId === undefined || !isToldEvent(method)) return;
      this.#post({ event: "cdp", tab_id: tabId, session: sessionId ?? null, method, params: params ?? {} });
    });
    chrome.debugger.onDetach.addListener(({ tabId }, reason) => {
      if (tabId === undefined) return;
      this.#post({ event: "detached", tab_id: tabId });
      // The browser's own bar has a Cancel, which means what Stop means for this tab.
      if (reason === "canceled_by_user") void this.share(tabId, false);
    });
    chrome.tabs.onRemoved.addListener((tabId) => {
      void this.#removed(tabId);
    });
    chrome.tabs.onCreated.addListener(({ id, openerTabId }) => {
      if (id !== undefined && openerTabId !== undefined) void this.#opened(id, openerTabId);
    });
  }

  async #change(make: (tabs: Set<number>) => void): Promise<void> {
    const before = this.#turn;
    const own = (async () => {
      await before;
      const tabs = new Set(await sharedTabs());
      make(tabs);
      await keepShared(tabs);
    })();
    this.#turn = own.catch(() => undefined);
    await own;
    await this.tell();
    this.#changed();
  }

  async #removed(tabId: number): Promise<void> {
    this.#post({ event: "tab_removed", tab_id: tabId });
    if ((await sharedTabs()).has(tabId)) await this.share(tabId, false);
  }

  /** What a shared tab opens is shared as well: it is a part of what goes on there. */
  async #opened(tabId: number, opener: number): Promise<void> {
    if (!(await sharedTabs()).has(opener)) return;
    await this.share(tabId, true);
    this.#post({ event: "tab_opened", tab_id: tabId, opener });
  }

  async #sharedTab(id: unknown): Promise<number> {
    if (typeof id === "number" && (await sharedTabs()).has(id)) return id;
    throw new Refusal("not_shared", "the tab is not shared");
  }

  /** Of tabs that are not shared nothing but their number is told. */
  async #tabs(): Promise<unknown> {
    const shared = await sharedTabs();
    const all = await chrome.tabs.query({});
    const targets = new Map((await chrome.debugger.getTargets()).map((target) => [target.tabId, target]));
    const told = all.filter(({ id }) => id !== undefined && shared.has(id));
    const minimized = new Set(
      (await chrome.windows.getAll()).flatMap(({ id, state }) => (state === "minimized" ? [id] : [])),
    );
    return {
      tabs: told.map(({ id, active, windowId }) => {
        const { title = "", url = "" } = Object(targets.get(id));
        return {
          ...{ tab_id: id, active, minimized: minimized.has(windowId) },
          ...{ title: String(title).slice(0, 300), url: String(url).slice(0, 2000) },
        };
      }),
      not_shared: all.length - told.length,
    };
  }

  async #create(url: unknown): Promise<unknown> {
    if (typeof url !== "string" || !isWebAddress(url)) {
      throw new Refusal("bad_url", "only http, https and about:blank are opened");
    }
    if (!(await mayOpenTabs())) {
      throw new Refusal("not_shared", "the person at the browser does not let agents open tabs");
    }
    const { id } = await chrome.tabs.create({ url: "about:blank", active: true });
    if (id === undefined) throw new Refusal("failed", "the browser opened no tab");
    // Shared before it goes anywhere, so that nothing that it opens is missed.
    await this.share(id, true);
    if (url !== "about:blank") await chrome.tabs.update(id, { url });
    return { tab_id: id };
  }

  async #cdp(
    tabId: number,
    { method, session, params, part }: Record<string, unknown>,
    id: string,
  ): Promise<unknown> {
    if (typeof method !== "string" || !isAllowedMethod(method)) {
      throw new Refusal("method_denied", "that method is not among those of the bridge");
    }
    const target = { tabId, ...(typeof session === "string" ? { sessionId: session } : {}) };
    const call = (name: string, given: object): Promise<unknown> =>
      chrome.debugger.sendCommand(target, name, { ...given });
    if (method !== "Accessibility.getFullAXTree") return await call(method, Object(params));
    const post = (nodes: readonly TreeNode[]): void => {
      for (let at = 0; at < nodes.length; at += NODES_A_MESSAGE) {
        this.#post({ id, nodes: nodes.slice(at, at + NODES_A_MESSAGE) });
      }
    };
    const wanted = treePartOf(part);
    const unasked = wanted === null ? null : await loadTreePart(call, wanted, post);
    if (unasked !== null) return unasked;
    post(slimNodes(await call(method, Object(params))));
    return {};
  }
}

/** What the browser says of what went away meanwhile, told apart from what it does not like. */
function refusalOf(error: unknown): unknown {
  const said = error instanceof Error ? error.message : String(error);
  if (/No tab with/i.test(said)) return new Refusal("tab_gone", said);
  const isGone = /Session with given id not found|not attached|Inspected target navigated|Detached while/i;
  return isGone.test(said) ? new Refusal("session_gone", said) : error;
}

async function attach(tabId: number): Promise<object> {
  try {
    await chrome.debugger.attach({ tabId }, DEBUGGER_VERSION);
  } catch (error) {
    // By us, before the worker was ended.
    if (!/already attached/i.test(String(error))) throw error;
  }
  return {};
}
