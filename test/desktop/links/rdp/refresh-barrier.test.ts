import t from "tap";
import { LinkError } from "../../../../src/desktop/error.ts";
import { RdpSessions } from "../../../../src/desktop/links/rdp/rdp-sessions.ts";
import { RdpQuestions } from "../../../../src/desktop/links/rdp/refresh-barrier.ts";
import { rect } from "../../../../src/framebuffer/rect.ts";
import { Region } from "../../../../src/framebuffer/region.ts";
import { FakeClock } from "../../../fake-clock.ts";

const ANSWER = Region.of(rect(0, 0, 2, 2));
const ELSEWHERE = Region.of(rect(30, 30, 9, 9));
const ALL = Region.of(rect(0, 0, 100, 100));

function ask(questions: RdpQuestions): { isOver: boolean; promise: Promise<void> } {
  const asked = { isOver: false, promise: Promise.resolve() };
  asked.promise = questions.ask().then(() => {
    asked.isOver = true;
  });
  return asked;
}

t.test("an answer ends the question, what happens elsewhere does not", async (t) => {
  const clock = new FakeClock();
  const sent: object[] = [];
  const questions = new RdpQuestions((pixels) => sent.push(pixels), clock);
  const asked = ask(questions);
  t.same(sent, [rect(0, 0, 2, 2)]);
  questions.painted(ELSEWHERE);
  await Promise.resolve();
  t.notOk(asked.isOver);
  questions.painted(ANSWER);
  await asked.promise;
  t.ok(questions.hasAnswered);
});

t.test("who never answers has had its say after a silence; who does gets longer", async (t) => {
  const clock = new FakeClock();
  const questions = new RdpQuestions(() => undefined, clock);
  const first = ask(questions);
  clock.advance(150);
  questions.painted(ELSEWHERE);
  clock.advance(150);
  await Promise.resolve();
  t.notOk(first.isOver, "it was painting");
  clock.advance(60);
  await first.promise;
  t.notOk(questions.hasAnswered);

  questions.painted(ANSWER);
  const second = ask(questions);
  questions.painted(ANSWER);
  await second.promise;
  const third = ask(questions);
  clock.advance(900);
  await Promise.resolve();
  t.notOk(third.isOver);
  clock.advance(200);
  await third.promise;
});

t.test("after a silence that was asked for, everything has to come first", async (t) => {
  const clock = new FakeClock();
  const questions = new RdpQuestions(() => undefined, clock);
  questions.expectAll({ width: 100, height: 100 });
  const asked = ask(questions);
  questions.painted(ANSWER);
  await Promise.resolve();
  t.notOk(asked.isOver);
  questions.painted(ALL);
  await asked.promise;
  t.notOk(questions.hasAnswered, "a whole picture may have come unasked");
});

t.test("the end of the link is the end of its questions", async (t) => {
  const questions = new RdpQuestions(() => undefined, new FakeClock());
  const asked = questions.ask();
  questions.fail(new LinkError("target_closed", "gone"));
  await t.rejects(asked, { code: "target_closed" });
});

t.test("a session is taken by us only where a later link of ours is at the same account", async (t) => {
  const sessions = new RdpSessions();
  const first = sessions.claim("ada@h:3389");
  sessions.claim("bob@h:3389");
  t.notOk(first.wasTakenByUs());
  const second = sessions.claim("ada@h:3389");
  t.ok(first.wasTakenByUs());
  t.notOk(second.wasTakenByUs());
});

t.test("a host that copies its screen now and then is asked once it has", async (t) => {
  const clock = new FakeClock();
  const sent: object[] = [];
  const questions = new RdpQuestions((pixels) => sent.push(pixels), clock);
  let over = 0;
  const first = questions.ask(true).then(() => over++);
  clock.advance(60);
  const second = questions.ask(true).then(() => over++);
  questions.painted(ANSWER);
  t.same([sent.length, over], [0, 0], "what it paints before that is of before");
  clock.advance(50);
  t.equal(sent.length, 1);
  questions.painted(ANSWER);
  await first;
  t.equal(over, 1, "each waits its own while");
  clock.advance(50);
  questions.painted(ANSWER);
  await second;
  t.equal(sent.length, 2);

  const asked = questions.ask(true);
  questions.fail(new LinkError("target_closed", "gone"));
  await t.rejects(asked, { code: "target_closed" });
  clock.advance(500);
  t.equal(sent.length, 2, "nobody is asked after the end");
});
