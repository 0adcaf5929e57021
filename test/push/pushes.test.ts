import t from "tap";
import type { Approval } from "../../src/desktop/control/approvals/approvals.ts";
import type { HumanRequest, RequestChange } from "../../src/desktop/control/requests/human-request.ts";
import type { DesktopEvent } from "../../src/desktop/events/desktop-event.ts";
import { Listeners } from "../../src/desktop/listeners.ts";
import type { Notice } from "../../src/push/notice.ts";
import { type PushedDesktops, Pushes } from "../../src/push/pushes.ts";
import { isWanted } from "../../src/push/receiver.ts";
import { FakeClock, settle } from "../fake-clock.ts";
import { noticeOf } from "./push-house.ts";

const bug = (error: unknown): never => {
  throw error;
};
const agent = { kind: "agent", id: "tok1", name: "cla\u202eude" } as const;
const times = { askedAt: noticeOf("x").askedAt, expiresAt: noticeOf("x").expiresAt };

function open() {
  const events = new Listeners<DesktopEvent>(bug);
  const questions = new Listeners<Approval>(bug);
  type Change = { readonly type: "added" | "changed" | "removed"; readonly desktop: typeof desktop };
  const changes = new Listeners<Change>(bug);
  const desktop = { id: "vm", name: `Build\u0007 VM${"x".repeat(200)}`, on: events.add.bind(events) };
  const all: (typeof desktop)[] = [];
  const desktops: PushedDesktops = {
    all,
    questions: { on: questions.add.bind(questions) },
    on: changes.add.bind(changes),
  };
  const had: Notice[] = [];
  const pushes = new Pushes({ clock: new FakeClock(), sent: () => {}, lost: () => {}, changed: bug }, [
    {
      ...{ name: "test", wants: () => true, linkOf: () => null },
      send: async ({ notice }) => void had.push(notice),
    },
  ]);
  pushes.follow(desktops);
  return { events, questions, changes, desktop, had, pushes };
}

/** What is told of it holds nothing of the action, the reason and the intent: these are here to be looked for. */
function approvalOf(state: Approval["state"], desktopId = "vm"): Approval {
  const approval = {
    ...{ id: "q1", state, desktopId, actor: agent, ...times, intent: "SECRET-INTENT" },
    ...{ action: { kind: "type", text: "SECRET-TEXT" }, summary: "type SECRET-TEXT" },
  };
  return approval as unknown as Approval;
}

function requestOf(change: RequestChange): Extract<DesktopEvent, { type: "request" }> {
  const request = {
    ...{ id: "r1", desktopId: "vm", actor: agent, kind: "login", reason: "SECRET-REASON", ...times },
  };
  return { type: "request", change, request: request as unknown as HumanRequest, by: agent };
}

t.test("a question and a request are told by desktop, kind and who asks, and by nothing else", async (t) => {
  const { events, questions, changes, desktop, had } = open();
  changes.tell({ type: "added", desktop });
  questions.tell(approvalOf("pending", ""));
  await settle();
  questions.tell(approvalOf("granted", ""));
  events.tell(requestOf("asked"));
  await settle();
  events.tell(requestOf("extended"));
  events.tell(requestOf("taken"));
  await settle();
  t.match(had, [
    { id: "q1", subject: "approval", kind: "type", desktop: null, agent: "claude" },
    { id: "r1", subject: "request", kind: "login", desktop: { id: "vm", name: /^Build {2}VMx+$/ } },
  ]);
  t.equal(had[1]?.desktop?.name.length, 80);
  t.notMatch(JSON.stringify(had), /SECRET/);
});

t.test("a desktop that is gone, and one that closes, tell no more", async (t) => {
  const { events, questions, changes, desktop, had, pushes } = open();
  changes.tell({ type: "added", desktop });
  changes.tell({ type: "removed", desktop });
  events.tell(requestOf("asked"));
  await settle();
  t.same(had, []);
  pushes.close();
  questions.tell(approvalOf("pending"));
  await settle();
  t.same(had, []);
});

t.test("of what a receiver is told", async (t) => {
  const notice = noticeOf("a");
  const wish = { subjects: ["approval"], link: "page" } as const;
  t.ok(isWanted(wish, notice));
  t.notOk(isWanted(wish, { ...notice, subject: "request" }));
  t.ok(isWanted({ ...wish, desktops: ["vm"] }, notice));
  t.notOk(isWanted({ ...wish, desktops: ["other"] }, notice));
  t.notOk(isWanted({ ...wish, desktops: ["vm"] }, { ...notice, desktop: null }));
});
