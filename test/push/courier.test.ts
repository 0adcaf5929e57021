import t from "tap";
import { Courier } from "../../src/push/courier.ts";
import type { Notice } from "../../src/push/notice.ts";
import { PushError, type PushReceiver } from "../../src/push/receiver.ts";
import { FakeClock, settle } from "../fake-clock.ts";
import { noticeOf } from "./push-house.ts";

/** A courier to a receiver that answers what the test says, and what it told. */
function openCourier() {
  const clock = new FakeClock();
  const had: string[] = [];
  const told: string[] = [];
  let answer: () => Promise<void> = async () => undefined;
  const answerWith = (next: () => Promise<void>): void => {
    answer = next;
  };
  const receiver: PushReceiver = {
    name: "test",
    wants: ({ kind }) => kind !== "unwanted",
    linkOf: () => null,
    send: ({ notice }) => {
      had.push(notice.id);
      return answer();
    },
  };
  const courier = new Courier(receiver, {
    clock,
    sent: ({ id }: Notice) => void told.push(`sent ${id}`),
    lost: ({ id }: Notice, _name, why) => void told.push(`lost ${id} ${why}`),
    changed: (_name, isWorking) => void told.push(isWorking ? "works" : "fails"),
  });
  return { clock, had, told, courier, answerWith };
}

const refuse = async (): Promise<void> => {
  throw new PushError("answered 503, expected 200 to 299");
};

t.test("brings what is wanted, in order", async (t) => {
  const { had, told, courier } = openCourier();
  for (const id of ["a", "b"]) courier.add(noticeOf(id));
  courier.add(noticeOf("c", { kind: "unwanted" }));
  await settle();
  t.same(had, ["a", "b"]);
  t.same(told, ["sent a", "sent b"]);
});

t.test("tries again until the receiver is back, and says so once", async (t) => {
  const { clock, had, told, courier, answerWith } = openCourier();
  answerWith(refuse);
  courier.add(noticeOf("a"));
  await clock.live(5000, 100);
  t.ok(had.length > 2, "tried again");
  t.same(told, ["fails"]);
  answerWith(async () => undefined);
  await clock.live(10_000, 100);
  t.same(told, ["fails", "works", "sent a"]);
});

t.test("what expires before it arrives is told as lost, each once", async (t) => {
  const { clock, told, courier, answerWith } = openCourier();
  answerWith(refuse);
  for (const id of ["a", "b"]) courier.add(noticeOf(id));
  await clock.live(300_000, 1000);
  t.same(told.toSorted(), ["fails", "lost a expired", "lost b expired"]);
  t.equal(clock.waiting, 0, "nothing is tried any longer");
});

t.test("what is settled while it waits is neither sent nor lost", async (t) => {
  const { clock, had, told, courier, answerWith } = openCourier();
  answerWith(refuse);
  for (const id of ["a", "b", "c"]) courier.add(noticeOf(id));
  courier.settle("b");
  // While it is on its way: it fails, and is not tried again.
  courier.settle("a");
  await settle();
  answerWith(async () => undefined);
  await clock.live(5000, 100);
  t.same(had, ["a", "c"]);
  t.same(told, ["fails", "works", "sent c"]);
});

t.test("a final refusal loses that message alone", async (t) => {
  const { told, courier, answerWith, had } = openCourier();
  answerWith(async () => {
    if (had.at(-1) === "a") throw new PushError("answered 404, expected 200 to 299", { isFinal: true });
  });
  for (const id of ["a", "b"]) courier.add(noticeOf(id));
  await settle();
  t.same(told, ["fails", "lost a refused", "works", "sent b"]);
});

t.test("a receiver that asks for a pause gets it", async (t) => {
  const { clock, had, courier, answerWith } = openCourier();
  answerWith(async () => {
    throw new PushError("answered 429, expected 200 to 299", { pauseMs: 30_000 });
  });
  courier.add(noticeOf("a"));
  await clock.live(29_000, 1000);
  t.equal(had.length, 1);
  await clock.live(2000, 1000);
  t.equal(had.length, 2);
});

t.test("an agent that asks without end is no alarm clock", async (t) => {
  const { clock, had, told, courier } = openCourier();
  for (let i = 0; i < 150; i += 1) courier.add(noticeOf(`${i}`));
  await clock.live(1000, 100);
  t.equal(had.length, 30, "of the first minute");
  t.equal(told.filter((line) => line.endsWith(" full")).length, 50, "and no more wait than may");
  await clock.live(60_000, 1000);
  t.equal(had.length, 60);
});

t.test("what waits when the server ends is told as lost", async (t) => {
  const { clock, told, courier, answerWith } = openCourier();
  answerWith(refuse);
  for (const id of ["a", "b"]) courier.add(noticeOf(id));
  await settle();
  courier.close();
  courier.add(noticeOf("c"));
  await clock.live(120_000, 1000);
  t.same(told, ["fails", "lost a stopped", "lost b stopped"]);
});
