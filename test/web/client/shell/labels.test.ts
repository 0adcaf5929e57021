import t from "tap";
import { connectionFromForm } from "../../../../src/web/client/connections/connection-form.ts";
import { clientStatus } from "../../../../src/web/client/setup/client-status.ts";
import { backOffMs } from "../../../../src/web/client/shell/back-off.ts";
import {
  clockWords,
  secondsUntil,
  shareLeft,
  spanWords,
} from "../../../../src/web/client/shell/countdown.ts";
import {
  canStop,
  changeWords,
  decisionWords,
  durationWords,
  modeNamed,
  nextStepWords,
  originWords,
  outcomeWords,
  stateReason,
  stateWords,
} from "../../../../src/web/client/shell/labels.ts";
import { thumbnailAddress } from "../../../../src/web/client/viewer/screenshot-address.ts";
import { actionInfo, approvalInfo, desktopInfo } from "../infos.ts";

const NOW = Date.parse("2026-11-21T10:00:12.000Z");
const state = (over: Partial<ReturnType<typeof desktopInfo>["state"]>) => ({
  ...desktopInfo().state,
  ...over,
});

t.test("states are said in a few words", async (t) => {
  t.equal(stateWords(state({}), NOW), "Live");
  t.equal(stateWords(state({ kind: "connecting" }), NOW), "Connecting…");
  const loading = state({ kind: "connecting", received_percent: 34 });
  t.equal(stateWords(loading, NOW), "Loading the picture, 34 %");
  t.equal(stateWords(state({ kind: "stalled" }), NOW), "Stalled, last picture 12 s ago");
  t.equal(
    stateWords(state({ kind: "reconnecting", retry_at: "2026-11-21T10:00:14.500Z" }), NOW),
    "Reconnecting in 3 s",
  );
  t.equal(
    stateWords(state({ kind: "reconnecting", retry_at: "2026-11-21T09:00:00Z" }), NOW),
    "Reconnecting…",
  );
  t.equal(stateWords(state({ kind: "failed", code: "auth_failed" }), NOW), "Refused: wrong password");
  t.equal(stateWords(state({ kind: "failed", code: "something_new" }), NOW), "Not connected");
  const lost = { kind: "reconnecting", text: "Reconnecting in 3 s: nothing listens: check it" } as const;
  t.equal(stateReason(state(lost)), "Nothing listens: check it", "the seconds are counted elsewhere");
  t.equal(stateReason(state({ kind: "failed", text: "Failed: the server: no" })), "The server: no");
  const odd = "Failed: the server refused the sign-in: wrong user or password (authentication, byte 76)";
  t.equal(
    stateReason(state({ kind: "failed", text: odd })),
    "The server refused the sign-in: wrong user or password",
  );
  t.equal(stateReason(state({})), null);
  t.match(nextStepWords(state({ kind: "failed", code: "auth_failed" })), /^Edit the desktop/);
  t.equal(nextStepWords(state({ kind: "failed", code: "something_new" })), null);
  t.equal(nextStepWords(state({})), null);
});

t.test("people hear who came, who is quiet, and who took the input from them", async (t) => {
  const ann = { kind: "human", id: "ann", name: "Ann", since: "", until: null };
  const bob = { ...ann, id: "bob", name: "Bob" };
  const bot = { ...ann, kind: "agent", id: "bot", name: "claude-code" };
  const alone = { holder: null, agents: [] };
  t.same(changeWords(alone, { ...alone, agents: ["claude-code"] }, "ann"), ["claude-code works here now"]);
  t.match(changeWords({ ...alone, agents: ["claude-code"] }, alone, "ann"), [
    /^claude-code has done nothing/,
  ]);
  const after = (before: typeof ann, now: typeof ann | null) =>
    changeWords({ ...alone, holder: before }, { ...alone, holder: now }, "ann");
  t.same(after(ann, bob), ["Bob took the input from you"]);
  t.same(after(bob, ann), [], "who takes it knows");
  t.same(after(ann, ann), []);
  t.same(after(ann, null), [], "given back");
  t.same(after(ann, bot), [], "agents take nothing from people");
});

t.test("stop is red only when something can be stopped", async (t) => {
  const acting = desktopInfo({ agents: ["claude-code"] });
  t.equal(canStop(acting, []), true);
  t.equal(canStop({ ...acting, is_stopped: true }, [approvalInfo()]), false);
  t.equal(canStop({ ...acting, mode: "passive" }, []), false);
  t.equal(canStop(desktopInfo(), []), false);
  t.equal(canStop(desktopInfo(), [approvalInfo()]), true);
  t.equal(canStop(desktopInfo(), [approvalInfo({ desktop_id: "other" })]), false);
  t.equal(canStop(desktopInfo(), [approvalInfo({ state: "denied" })]), false);
});

t.test("an action says what it did or why not", async (t) => {
  t.same(outcomeWords(actionInfo()), { text: "screen changed", tone: "good" });
  t.same(outcomeWords(actionInfo({ changed: false })), { text: "no change", tone: "idle" });
  t.same(outcomeWords(actionInfo({ changed: null })), { text: "sent", tone: "idle" });
  t.same(outcomeWords(actionInfo({ outcome: "refused", code: "denied_by_human" })), {
    text: "denied by a person",
    tone: "warn",
  });
  t.same(outcomeWords(actionInfo({ outcome: "failed", code: "new_code" })), {
    text: "failed: new code",
    tone: "bad",
  });
});

t.test("a settled question says by whom", async (t) => {
  t.equal(decisionWords(approvalInfo({ state: "granted", decided_by: "ann" })), "Approved by ann");
  const taken = approvalInfo({ state: "denied", decided_by: "ann", is_taken_over: true });
  t.equal(decisionWords(taken), "Taken over by ann");
  t.match(decisionWords(approvalInfo({ state: "expired" })), /not done/);
});

t.test("times are short", async (t) => {
  t.same([0.4, 12, 75, 7300, 200_000].map(spanWords), ["just now", "12 s", "1 min", "2 h", "2 d"]);
  t.same([41.4, 999, 1234, 65_000].map(durationWords), ["41 ms", "999 ms", "1.2 s", "1 min"]);
  t.same([42, 65, 0].map(clockWords), ["0:42", "1:05", "0:00"]);
});

t.test("a countdown ends at nought and never shows a second too few", async (t) => {
  t.equal(secondsUntil("2026-11-21T10:00:12.001Z", NOW), 1);
  t.equal(secondsUntil("2026-11-21T10:00:12.000Z", NOW), 0);
  t.equal(secondsUntil("2026-11-21T09:00:00.000Z", NOW), 0);
  t.equal(shareLeft("2026-11-21T10:00:00Z", "2026-11-21T10:00:24Z", NOW), 0.5);
  t.equal(shareLeft("2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z", NOW), 0);
  t.equal(shareLeft("2026-11-21T11:00:00Z", "2026-11-21T11:00:24Z", NOW), 1);
});

t.test("waits double up to ten seconds and are spread", async (t) => {
  t.same(
    [0, 1, 2, 3, 4, 5, 50].map((attempt) => backOffMs(attempt, 0)),
    [400, 800, 1600, 3200, 6400, 10_000, 10_000],
  );
  t.equal(backOffMs(5, 1), 7500);
});

t.test("only a mode's name is a mode", async (t) => {
  t.equal(modeNamed("autopilot"), "autopilot");
  t.equal(modeNamed("root"), null);
});

t.test("a client's light knows it by the names clients give themselves", async (t) => {
  const claude = { id: "claude-code", name: "Claude Code" };
  const generic = { id: "generic", name: "Any other client" };
  const at = "2026-11-21T10:00:00.000Z";
  const atMs = Date.parse(at);
  const isHere = (client: typeof claude, names: readonly string[], nowMs = atMs): boolean => {
    const seen = names.map((name) => ({ name, seen_at: at }));
    return clientStatus(client, seen, nowMs).isHere;
  };
  t.equal(isHere(claude, ["claude-code 2.1.0"]), true);
  t.equal(isHere(claude, ["Claude Code"]), true);
  t.equal(isHere(claude, ["claude-ai", "cursor-vscode"]), false);
  t.equal(isHere({ id: "claude-desktop", name: "Claude Desktop" }, ["claude-ai"]), true);
  t.equal(isHere({ id: "vscode", name: "VS Code" }, ["Visual Studio Code"]), true);
  t.equal(isHere(generic, []), false);
  t.equal(isHere(generic, ["mine"]), true);
  t.equal(isHere(claude, ["claude-code"], atMs + 119_000), true);
  t.equal(isHere(claude, ["claude-code"], atMs + 120_000), false, "it has not called for two minutes");
  const later = { name: "claude-code", seen_at: "2026-11-21T10:05:00.000Z" };
  const both = clientStatus(claude, [later, { name: "Claude Code", seen_at: at }], atMs);
  t.equal(both.seenAt, later.seen_at, "the last of its calls counts");
  t.same(clientStatus(claude, [], atMs), { isHere: false, seenAt: null });
});

t.test("the add form leaves out what is empty and splits a port off the host", async (t) => {
  const form = (fields: Readonly<Record<string, string>>) =>
    connectionFromForm(new Map(Object.entries(fields)));
  t.same(form({ host: " box ", port: "", name: "", username: "", password: "" }), {
    protocol: "vnc",
    host: "box",
  });
  t.same(form({ host: "box:5901", password: " secret " }), {
    protocol: "vnc",
    host: "box",
    port: 5901,
    password: " secret ",
  });
  t.same(form({ host: "box:5901", port: "5902" }), { protocol: "vnc", host: "box", port: 5902 });
  t.same(form({ host: "[fe80::1]:5901" }), { protocol: "vnc", host: "fe80::1", port: 5901 });
  t.same(form({ host: "fe80::1" }), { protocol: "vnc", host: "fe80::1" });
  t.same(form({ protocol: "kasmvnc", host: "kasm", username: "kasm_user", password: "p" }), {
    protocol: "kasmvnc",
    host: "kasm",
    username: "kasm_user",
    password: "p",
  });
  t.match(form({ protocol: "gopher", host: "box" }), { protocol: "vnc" });
});

t.test("a desktop says where its picture comes from", async (t) => {
  t.equal(originWords({ protocol: "vnc", host: "box", port: 5901 }), "VNC box:5901");
  t.equal(originWords({ protocol: "vnc", host: "", port: 0 }), "VNC");
  t.equal(originWords({ protocol: "demo", host: "", port: 0 }), "Built-in demo");
  t.equal(originWords({ protocol: "replay", host: "", port: 0 }), "Replay of a recording");
});

t.test("thumbnails are as wide as their tile, in few steps, and never enlarged", async (t) => {
  const scale = (width: number, tile: number): string | null =>
    new URL(thumbnailAddress("a b", { width, height: 100 }, tile), "http://x").searchParams.get("scale");
  t.equal(scale(1920, 300), "0.2");
  t.equal(scale(1920, 310), "0.2");
  t.equal(scale(200, 300), "1");
  t.equal(scale(0, 300), "1");
  t.match(
    thumbnailAddress("a b", { width: 9, height: 9 }, 9),
    /^\/api\/v1\/desktops\/a%20b\/screenshot\.jpg\?/,
  );
});
