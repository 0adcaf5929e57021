import t from "tap";
import { LinkError } from "../../../../src/desktop/error.ts";
import { RdpSessions } from "../../../../src/desktop/links/rdp/rdp-sessions.ts";
import { RefreshBarrier } from "../../../../src/desktop/links/rdp/refresh-barrier.ts";
import { rect } from "../../../../src/framebuffer/rect.ts";
import { Region } from "../../../../src/framebuffer/region.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { Peer } from "../../../protocols/rdp/peer.ts";

const ANSWER = Region.of(rect(0, 0, 2, 2));
const ELSEWHERE = Region.of(rect(30, 30, 9, 9));
const ALL = Region.of(rect(0, 0, 100, 100));
/** Messages of a client, MS-RDPBCGR 2.2.8.1.1.1.2. */
const REFRESH_RECT = 0x21;
const SUPPRESS_OUTPUT = 0x23;

function ask(questions: RefreshBarrier): { isOver: boolean; promise: Promise<void> } {
  const asked = { isOver: false, promise: Promise.resolve() };
  asked.promise = questions.ask().then(() => {
    asked.isOver = true;
  });
  return asked;
}

t.test("an answer ends the question, what happens elsewhere does not", async (t) => {
  const clock = new FakeClock();
  const sent: object[] = [];
  const questions = new RefreshBarrier((pixels) => sent.push(pixels), clock);
  const asked = ask(questions);
  t.same(sent, [rect(0, 0, 2, 2)]);
  questions.painted(ELSEWHERE, true);
  await Promise.resolve();
  t.notOk(asked.isOver);
  questions.painted(ANSWER, true);
  await asked.promise;
  t.ok(questions.hasAnswered);
});

t.test("who never answers has had its say after a silence; who does gets longer", async (t) => {
  const clock = new FakeClock();
  const questions = new RefreshBarrier(() => undefined, clock);
  const first = ask(questions);
  clock.advance(150);
  questions.painted(ELSEWHERE, true);
  clock.advance(150);
  await Promise.resolve();
  t.notOk(first.isOver, "it was painting");
  clock.advance(60);
  await first.promise;
  t.notOk(questions.hasAnswered);

  questions.painted(ANSWER, true);
  const second = ask(questions);
  questions.painted(ANSWER, true);
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
  const questions = new RefreshBarrier(() => undefined, clock);
  const asked = ask(questions);
  questions.painted(ANSWER, false);
  await Promise.resolve();
  t.notOk(asked.isOver);
  questions.painted(ALL, true);
  await asked.promise;
  t.notOk(questions.hasAnswered, "a whole picture may have come unasked");
});

t.test("an answer that came before the last of everything is asked for again", async (t) => {
  const sent: object[] = [];
  const questions = new RefreshBarrier((pixels) => sent.push(pixels), new FakeClock());
  const asked = ask(questions);
  questions.painted(Region.of(rect(0, 0, 100, 64)), false);
  t.equal(sent.length, 1, "the rest is still to come");
  questions.painted(Region.of(rect(0, 64, 100, 36)), true);
  await Promise.resolve();
  t.same(sent, [rect(0, 0, 2, 2), rect(0, 0, 2, 2)]);
  t.notOk(asked.isOver);
  questions.painted(ANSWER, true);
  await asked.promise;
  t.ok(questions.hasAnswered);
});

/** What xrdp with Xorg paints when it is told these messages: it takes Suppress Output's corner for the one behind. */
function paintedByXrdp(messages: readonly Uint8Array[]): Region {
  let painted = Region.empty;
  for (const message of messages) {
    // TPKT, X.224 and MCS headers are 15 bytes, those of the share 18; the type is the fifteenth of these.
    const data = new DataView(message.buffer, message.byteOffset, message.byteLength);
    const type = data.getUint8(15 + 14);
    const isRefresh = type === REFRESH_RECT;
    if (!isRefresh && type !== SUPPRESS_OUTPUT) continue;
    for (let at = 15 + 18 + 4; at + 8 <= message.length; at += 8) {
      const [left = 0, top = 0, right = 0, bottom = 0] = [0, 2, 4, 6].map((i) =>
        data.getUint16(at + i, true),
      );
      const more = isRefresh ? 1 : 0;
      painted = painted.union(Region.of(rect(left, top, right - left + more, bottom - top + more)));
    }
  }
  return painted;
}

t.test("let go on, a host that leaves out the last column and row answers all the same", async (t) => {
  const peer = Peer.ready();
  const questions = new RefreshBarrier((pixels) => peer.client.refresh(pixels), new FakeClock());
  peer.client.suppress(true);
  peer.sent.length = 0;
  peer.client.suppress(false);
  const asked = ask(questions);
  const painted = paintedByXrdp(peer.sent);
  t.same(painted.rects, [peer.client.framebuffer.rect], "every pixel");
  // The clock stands still: only an answer ends it.
  const isWhole = Region.of(peer.client.framebuffer.rect).subtract(painted).isEmpty;
  questions.painted(painted, isWhole);
  await asked.promise;
  peer.sent.length = 0;
  const next = ask(questions);
  questions.painted(paintedByXrdp(peer.sent), true);
  await next.promise;
  t.ok(questions.hasAnswered);
});

t.test("the end of the link is the end of its questions", async (t) => {
  const questions = new RefreshBarrier(() => undefined, new FakeClock());
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
  const questions = new RefreshBarrier((pixels) => sent.push(pixels), clock);
  let over = 0;
  const first = questions.ask(true).then(() => over++);
  clock.advance(60);
  const second = questions.ask(true).then(() => over++);
  questions.painted(ANSWER, true);
  t.same([sent.length, over], [0, 0], "what it paints before that is of before");
  clock.advance(50);
  t.equal(sent.length, 1);
  questions.painted(ANSWER, true);
  await first;
  t.equal(over, 1, "each waits its own while");
  clock.advance(50);
  questions.painted(ANSWER, true);
  await second;
  t.equal(sent.length, 2);

  const asked = questions.ask(true);
  questions.fail(new LinkError("target_closed", "gone"));
  await t.rejects(asked, { code: "target_closed" });
  clock.advance(500);
  t.equal(sent.length, 2, "nobody is asked after the end");
});
