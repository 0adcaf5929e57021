import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import { Browsers } from "../../src/browser/browsers.ts";
import type { Page } from "../../src/browser/page/page.ts";
import { Pairings } from "../../src/browser/pairings.ts";
import { FakeClock } from "../fake-clock.ts";
import { DIALLED, FakeExtension } from "./fake-extension.ts";

const USER = { id: "an-agent" };
export const TAB = 7;

export interface Call {
  readonly id: string;
  readonly type: string;
  readonly session: string | null;
  readonly method: string;
  readonly params: Record<string, unknown>;
  /** Of a tree, which part of it is asked for. */
  readonly part?: unknown;
}

/** A shared tab whose browser answers each call as a test says; undefined: never. `hidden`: selectors of masks. */
export async function openTab(
  t: Test,
  answer: (call: Call) => unknown,
  hiddenSelectors: readonly string[] = [],
) {
  const dir = mkdtempSync(join(tmpdir(), "oc-page-"));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  const clock = new FakeClock();
  const browsers = new Browsers({
    ...{ pairings: await Pairings.open(dir, clock), clock, serverName: "Test" },
    onBug: (error) => t.fail(String(error)),
    changed: () => {},
    hiddenSelectors: () => hiddenSelectors,
  });
  const { id, code } = browsers.issue(DIALLED, null);
  const calls: Call[] = [];
  const extension: FakeExtension = new FakeExtension((said) => {
    if (typeof said["id"] !== "string") return;
    const { session = null, method = "", params = {}, part } = Object(said["params"]);
    const call = { id: said["id"], type: String(said["type"]), session, method, params, part };
    calls.push(call);
    const result = answer(call);
    if (result !== undefined) queueMicrotask(() => extension.say({ id: call.id, success: true, result }));
  });
  extension.accepted = browsers.accept(extension.socket, DIALLED);
  await extension.introduce("pair", id, code);
  await extension.accepted;
  extension.say({ event: "shared", tabs: [TAB] });
  const [known] = browsers.of(USER);
  const happens = (session: string | null, method: string, params: object): void =>
    extension.say({ event: "cdp", tab_id: TAB, session, method, params });
  return {
    extension,
    calls,
    clock,
    happens,
    page: (): Page => browsers.page(USER, `${known?.short}-${TAB}`),
    frame: (session: string, parent: string | null): void =>
      happens(parent, "Target.attachedToTarget", {
        sessionId: session,
        targetInfo: { type: "iframe", targetId: `frame of ${session}` },
      }),
  };
}

const FRAME_TREE = { frameTree: { frame: { id: "top", url: "https://a.example/" } } };

/** Answers what comes before the call that matters. */
export function attaches({ type, method }: Call): unknown {
  if (method === "Page.getFrameTree") return FRAME_TREE;
  return type === "attach" || /enable$|setAutoAttach/.test(method) ? {} : undefined;
}
