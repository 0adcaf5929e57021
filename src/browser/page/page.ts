import type { Clock } from "../../platform/clock.ts";
import { BrowserError } from "../error.ts";
import type { AskedTree, BrowserPeer, LoadedTree } from "../peer.ts";
import type { Method } from "../wire/calls.ts";
import { numberIn, objectIn, textIn } from "./answers.ts";
import { FrameSessions } from "./frame-sessions.ts";
import { Generations } from "./generations.ts";
import { Refs, type Session } from "./refs.ts";

/** The world of our own scripts in a page: the page neither sees nor changes what they use. */
const WORLD = "overlay-companion";

export interface PageParts {
  readonly peer: BrowserPeer;
  /** As the browser numbers its tabs. */
  readonly number: number;
  readonly id: string;
  readonly browser: { readonly id: string; readonly name: string };
  readonly clock: Clock;
  /** Of elements whose content is told to nobody; absent: none. */
  readonly hiddenSelectors?: () => readonly string[];
}

export interface Dialog {
  /** alert, confirm, prompt or beforeunload. */
  readonly type: string;
  readonly message: string;
}

/** An element in our own world of the frame that it is in. */
interface ElementObject {
  readonly world: number;
  readonly objectId: string;
}

/** Elements that are known by their object; what is known lives on in the page until that is another one. */
const MOST_OBJECTS = 200;

/** Where a session's frame stands: the iframe element in the session above. */
interface Owner {
  readonly session: Session;
  readonly node: number;
}

/** Where a page is seen: CSS pixels times `scale`, from the corner of what of it is in view, are desktop pixels. */
export interface SeenPage {
  readonly desktopId: string;
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** A shared tab: calls to it and its frames, and what is known of it. */
export class Page {
  readonly refs = new Refs();
  readonly id: string;
  readonly number: number;
  readonly browser: PageParts["browser"];
  readonly clock: Clock;
  readonly peer: BrowserPeer;
  /** Tabs that it opened since somebody asked last. */
  readonly openedTabs: number[] = [];
  /** Of the top frame, counted. */
  navigations = 0;
  /** Of all frames: whether it is still what it was. */
  changes = 0;
  /** The top frame is on its way to another document, or loads one. */
  isLoading = false;
  dialog: Dialog | null = null;
  /** Of the elements that it showed. */
  readonly generations = new Generations();
  /** See PageParts. */
  readonly hiddenSelectors: () => readonly string[];
  /** Where it was last seen on a desktop. */
  seen: SeenPage | null = null;
  /** Nothing is asked of it any more: the tab is closed or not shared, or its browser is away. */
  isClosed = false;
  #attached: Promise<void> | null = null;
  readonly #frames = new FrameSessions();
  readonly #objects = new Map<string, ElementObject>();
  readonly #owners = new Map<string, Owner>();
  readonly #onDialog = new Set<() => void>();
  readonly #onLoading = new Set<() => void>();
  readonly #onChange = new Set<() => void>();
  #topFrame = "";
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ peer, number, id, browser, clock, hiddenSelectors = () => [] }: PageParts) {
    this.hiddenSelectors = hiddenSelectors;
    this.peer = peer;
    this.number = number;
    this.id = id;
    this.browser = browser;
    this.clock = clock;
  }

  /** One at a time: what several agents do to a tab does not get mixed up. */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#turn;
    const own = (async () => {
      await before.catch(() => undefined);
      return work();
    })();
    this.#turn = own.catch(() => undefined);
    return own;
  }

  /** Sessions of frames that other processes draw. */
  get frameSessions(): readonly string[] {
    return this.#frames.all;
  }

  /** Makes the tab answer; calls do it themselves. */
  async attach(): Promise<void> {
    this.#attached ??= (async () => {
      await this.peer.call("attach", { tab_id: this.number }, this.#frames.signalOf(null));
      await this.#enable(null);
      this.#topFrame = textIn(await this.#call("Page.getFrameTree", {}, null), "frameTree", "frame", "id");
    })();
    try {
      await this.#attached;
    } catch (error) {
      this.#attached = null;
      throw error;
    }
  }

  /**
   * A call of the DevTools protocol. Rejects with BrowserError dialog_open at once while the page waits for an answer to
   * a dialog, for then it answers nothing, and page_changed as soon as the session's target is gone.
   */
  send(method: Method, params: object = {}, session: Session = null): Promise<unknown> {
    return this.#unlessDialog(() => this.#call(method, params, session));
  }

  /** The accessibility tree of a frame. Rejects as `send`. */
  tree(session: Session, asked: AskedTree): Promise<LoadedTree> {
    return this.#unlessDialog(() =>
      this.peer.tree(this.number, session, asked, this.#frames.signalOf(session)),
    );
  }

  async #unlessDialog<Result>(call: () => Promise<Result>): Promise<Result> {
    await this.attach();
    if (this.dialog !== null) throw dialogOpen(this.dialog);
    let onDialog = (): void => {};
    const opened = new Promise<never>((_resolve, reject) => {
      onDialog = () => reject(dialogOpen(this.dialog));
      this.#onDialog.add(onDialog);
    });
    opened.catch(() => undefined);
    try {
      return await Promise.race([call(), opened]);
    } finally {
      this.#onDialog.delete(onDialog);
    }
  }

  /** Runs `declaration` with an element as `this` in our own world, and waits for what it promises; `null` where the element is gone. */
  async callOn(
    session: Session,
    node: number,
    declaration: string,
    others: readonly number[] = [],
  ): Promise<unknown> {
    const known = this.#objects.get(`${session}:${node}`);
    if (known !== undefined) {
      try {
        return await this.#callOnObject(session, known, declaration, others);
      } catch (error) {
        if (!(error instanceof BrowserError) || error.code !== "browser_refused") throw error;
        // Its document is another one: what is there now is asked.
        this.#objects.clear();
      }
    }
    const world = await this.world(session, await this.frameOf(session, node));
    const found = { world, objectId: await this.#objectOf(session, node, world) };
    if (this.#objects.size >= MOST_OBJECTS) this.#objects.clear();
    this.#objects.set(`${session}:${node}`, found);
    return this.#callOnObject(session, found, declaration, others);
  }

  async #callOnObject(
    session: Session,
    { objectId, world }: ElementObject,
    functionDeclaration: string,
    others: readonly number[],
  ): Promise<unknown> {
    const given = await Promise.all(
      others.map(async (other) => ({ objectId: await this.#objectOf(session, other, world) })),
    );
    const how = { arguments: given, returnByValue: true, awaitPromise: true };
    const call = { objectId, functionDeclaration, ...how };
    return objectIn(await this.send("Runtime.callFunctionOn", call, session), "result")["value"];
  }

  /** The frame that an element is in; null: the session's first. */
  async frameOf(session: Session, node: number): Promise<string | null> {
    const { frameId, nodeName } = objectIn(
      await this.send("DOM.describeNode", { backendNodeId: node }, session),
      "node",
    );
    // Of an element that holds a frame the browser names that one, and not the frame that it is in.
    const isIn = typeof frameId === "string" && frameId !== "" && !/^i?frame$/i.test(String(nodeName));
    return isIn ? frameId : null;
  }

  async #objectOf(session: Session, node: number, world: number): Promise<string> {
    const params = { backendNodeId: node, executionContextId: world };
    return textIn(await this.send("DOM.resolveNode", params, session), "object", "objectId");
  }

  /** Our own world in a frame, the session's first where null. */
  async world(session: Session, frameId: string | null): Promise<number> {
    const id = frameId ?? (await this.framesOf(session))[0];
    const made = await this.send("Page.createIsolatedWorld", { frameId: id, worldName: WORLD }, session);
    return numberIn(made, "executionContextId");
  }

  /** The frames of a session, the outermost first. */
  async framesOf(session: Session): Promise<readonly string[]> {
    const ids: string[] = [];
    const walk = (tree: unknown): void => {
      ids.push(textIn(tree, "frame", "id"));
      const children = objectIn(tree)["childFrames"];
      if (Array.isArray(children)) children.forEach(walk);
    };
    walk(objectIn(await this.send("Page.getFrameTree", {}, session), "frameTree"));
    return ids;
  }

  /** The iframe element of a session; null for the tab's own. */
  async ownerOf(session: Session): Promise<Owner | null> {
    if (session === null) return null;
    const known = this.#owners.get(session);
    if (known !== undefined) return known;
    const frame = this.#frames.get(session);
    if (frame === null) throw new BrowserError("ref_unknown", "the frame of that element is gone");
    const owner = await this.send("DOM.getFrameOwner", { frameId: frame.frameId }, frame.parent);
    const found = { session: frame.parent, node: numberIn(owner, "backendNodeId") };
    this.#owners.set(session, found);
    return found;
  }

  /** The id of another tab of the same browser. */
  idOfTab(number: number): string {
    return `${this.id.slice(0, this.id.lastIndexOf("-"))}-${number}`;
  }

  /** The id of the frame that a session draws. */
  frameIdOf(session: string): string | null {
    return this.#frames.get(session)?.frameId ?? null;
  }

  opened(number: number): void {
    if (this.openedTabs.length < 50) this.openedTabs.push(number);
  }

  /** Resolves when the top frame begins or ends to load, has another document, or after `mostMs`. */
  async loadingChanged(mostMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        this.#onLoading.delete(end);
        resolve();
      };
      const cancel = this.clock.after(Math.max(0, mostMs), end);
      this.#onLoading.add(end);
    });
  }

  /** The tab is out of reach: calls that wait for it end, and none is made any more. */
  close(reason: BrowserError): void {
    this.isClosed = true;
    this.#frames.close(reason);
    for (const told of [...this.#onChange]) told();
  }

  #call(method: Method, params: object, session: Session): Promise<unknown> {
    return this.peer.cdp(this.number, session, method, params, this.#frames.signalOf(session));
  }

  /** Told when its frames are others, a dialog closes, or it is out of reach; the returned function ends it. */
  onChange(listener: () => void): () => void {
    this.#onChange.add(listener);
    return () => this.#onChange.delete(listener);
  }

  /** An event of the DevTools protocol. */
  happened(session: Session, method: string, params: unknown): void {
    this.#happened(session, method, params);
    for (const told of [...this.#onChange]) told();
  }

  #happened(session: Session, method: string, params: unknown): void {
    switch (method) {
      case "Page.javascriptDialogOpening": {
        const { type, message } = objectIn(params);
        this.dialog = { type: String(type).slice(0, 40), message: String(message).slice(0, 500) };
        for (const told of [...this.#onDialog]) told();
        return;
      }
      case "Inspector.targetCrashed":
        // A process that crashed answers nothing.
        if (session === null)
          this.#frames.close(
            new BrowserError("page_crashed", "the page crashed, and answers nothing until it is reloaded"),
          );
        return;
      case "Inspector.targetReloadedAfterCrash":
        if (session === null) this.#frames.reopen();
        return;
      case "Page.javascriptDialogClosed":
        this.dialog = null;
        return;
      case "Page.frameStartedLoading":
      case "Page.frameStoppedLoading":
        if (session !== null || textIn(params, "frameId") !== this.#topFrame) return;
        this.isLoading = method === "Page.frameStartedLoading";
        for (const told of [...this.#onLoading]) told();
        return;
      case "Page.frameNavigated":
        this.changes++;
        this.#objects.clear();
        if (session !== null || "parentId" in objectIn(params, "frame")) return;
        this.navigations++;
        this.refs.clear();
        this.seen = null;
        for (const told of [...this.#onLoading]) told();
        return;
      case "Target.attachedToTarget": {
        const target = objectIn(params, "targetInfo");
        if (target["type"] !== "iframe") return;
        const child = textIn(params, "sessionId");
        this.changes++;
        this.#frames.attached(child, { frameId: String(target["targetId"]), parent: session });
        // One that is gone before it is used is found out by who uses it.
        this.#enable(child).catch(() => undefined);
        return;
      }
      case "Target.detachedFromTarget": {
        const gone = this.#frames.detached(textIn(params, "sessionId"));
        this.changes++;
        for (const session of gone) this.#owners.delete(session);
      }
    }
  }

  async #enable(session: Session): Promise<void> {
    const call = (method: Method, params: object = {}) => this.#call(method, params, session);
    await Promise.all([
      call("Page.enable"),
      call("DOM.enable"),
      call("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }),
    ]);
  }
}

function dialogOpen(dialog: Dialog | null): BrowserError {
  const what =
    dialog === null ? "a dialog" : `a dialog (${dialog.type}) that says ${JSON.stringify(dialog.message)}`;
  return new BrowserError(
    "dialog_open",
    `the page shows ${what}, and answers nothing until a person closes it`,
  );
}
