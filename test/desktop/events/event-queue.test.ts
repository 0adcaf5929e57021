import t from "tap";
import { EventQueue } from "../../../src/desktop/events/event-queue.ts";

t.test("everybody who waits for the next event is called, once, and who gives up is not", async (t) => {
  const queue = new EventQueue();
  const called: string[] = [];
  queue.onNext(() => called.push("first"));
  const giveUp = queue.onNext(() => called.push("second"));
  queue.onNext(() => called.push("third"));
  giveUp();
  queue.add({ type: "key_press", count: 1 }, "2026-11-21T00:00:00.000Z");
  t.same(called, ["first", "third"]);
  queue.add({ type: "key_press", count: 1 }, "2026-11-21T00:00:01.000Z");
  t.same(called, ["first", "third"]);
});
