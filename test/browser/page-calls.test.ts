import t from "tap";
import { arrived } from "../../src/browser/page/effect.ts";
import { takeSnapshot } from "../../src/browser/page/snapshot.ts";
import { attaches, openTab, TAB } from "./fake-tab.ts";

t.test("calls to a frame end when it is replaced, and those to frames in it too", async (t) => {
  const tab = await openTab(t, attaches);
  const page = tab.page();
  await page.attach();
  tab.frame("outer", null);
  tab.frame("inner", "outer");
  const waiting = ["outer", "inner"].map((session) => page.send("DOM.getBoxModel", {}, session));
  const top = page.send("DOM.getBoxModel");
  await page.attach();
  // Of the frame in the frame the browser tells nothing.
  tab.happens(null, "Target.detachedFromTarget", { sessionId: "outer" });
  for (const call of waiting) await t.rejects(call, { code: "page_changed" });
  t.same(page.frameSessions, []);
  const before = tab.calls.length;
  await t.rejects(page.send("DOM.getBoxModel", {}, "inner"), { code: "page_changed" });
  t.equal(tab.calls.length, before, "nothing is asked of what is gone");
  tab.frame("late", "outer");
  t.same(page.frameSessions, [], "what is attached to what is gone is gone");
  const own = tab.calls.find(({ method, session }) => method === "DOM.getBoxModel" && session === null);
  tab.extension.say({ id: own?.id, success: true, result: { model: 1 } });
  t.same(await top, { model: 1 }, "the tab's own go on");
});

t.test("calls end when the browser lets go of a tab, when it is closed, and when it crashes", async (t) => {
  const tab = await openTab(t, attaches);
  const waits = async (): Promise<unknown> => {
    const page = tab.page();
    await page.attach();
    return page.send("DOM.getBoxModel");
  };
  const ends = async (happens: () => void, code: string): Promise<void> => {
    const before = tab.calls.length;
    const call = waits();
    const judged = t.rejects(call, { code });
    while (!tab.calls.slice(before).some(({ method }) => method === "DOM.getBoxModel")) await null;
    happens();
    await judged;
  };
  await ends(() => tab.extension.say({ event: "detached", tab_id: TAB }), "page_changed");
  await ends(() => tab.happens(null, "Inspector.targetCrashed", {}), "page_crashed");
  await t.rejects(
    tab.page().send("DOM.getBoxModel"),
    { code: "page_crashed" },
    "at once, and not after 30 s",
  );
  tab.happens(null, "Inspector.targetReloadedAfterCrash", {});
  await ends(() => tab.extension.say({ event: "tab_removed", tab_id: TAB }), "tab_not_shared");
  await ends(() => tab.extension.say({ event: "stopped" }), "browser_stopped");
});

t.test("a look that meets the page on its way to another looks at that", async (t) => {
  let looks = 0;
  const tab = await openTab(t, (call) => {
    if (call.method !== "Accessibility.getFullAXTree") return attaches(call);
    looks++;
    if (looks > 1) return {};
    queueMicrotask(() => {
      tab.happens(null, "Page.frameNavigated", { frame: { id: "top" } });
      const error = { code: "session_gone", message: "Inspected target navigated or closed" };
      tab.extension.say({ id: call.id, success: false, error });
    });
    return undefined;
  });
  t.match(await takeSnapshot(tab.page()), { url: "https://a.example/" });
  t.equal(looks, 2);
});

t.test("a tab that was just opened is waited for until its page is loaded", async (t) => {
  let url = "about:blank";
  const tab = await openTab(t, (call) => {
    if (call.method === "Page.getFrameTree") return { frameTree: { frame: { id: "top", url } } };
    if (call.method === "Page.createIsolatedWorld") return { executionContextId: 1 };
    return call.method === "Runtime.evaluate" ? { result: { value: "complete" } } : attaches(call);
  });
  const page = tab.page();
  let isThere = false;
  const there = arrived(page, 5000).then(() => {
    isThere = true;
  });
  const until = async (method: string): Promise<void> => {
    while (tab.calls.filter((call) => call.method === method).length < 2) await null;
  };
  await until("Page.getFrameTree");
  await new Promise((resolve) => setImmediate(resolve));
  t.notOk(isThere, "the blank page is not it");
  url = "https://a.example/";
  tab.happens(null, "Page.frameStartedLoading", { frameId: "top" });
  tab.happens(null, "Page.frameNavigated", { frame: { id: "top" } });
  await new Promise((resolve) => setImmediate(resolve));
  t.notOk(isThere, "nor is one that still loads");
  tab.happens(null, "Page.frameStoppedLoading", { frameId: "top" });
  await there;
  const late = await openTab(t, (call) =>
    call.method === "Page.getFrameTree"
      ? { frameTree: { frame: { id: "top", url: "about:blank" } } }
      : attaches(call),
  );
  const waits = arrived(late.page(), 5000);
  while (late.calls.filter(({ method }) => method === "Page.getFrameTree").length < 2) await null;
  await new Promise((resolve) => setImmediate(resolve));
  late.clock.advance(5001);
  await waits;
  t.pass("one that never comes is not waited for");
});
