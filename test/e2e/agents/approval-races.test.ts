import sharp from "sharp";
import t from "tap";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { outcome, rest } from "./approval-scenario.ts";
import { PLACE, RacedTarget } from "./raced-target.ts";

/** How many: a few in the check, a thousand by `npm run test:races`. */
const APPROVALS = Number(process.env["OC_RACED_APPROVALS"] ?? 40);

/** When the screen changes; "late" is after the target was last asked, so that nobody can know of it in time. */
const MOMENTS = ["never", "before the yes", "with the yes", "as it is asked", "late", "and back"] as const;

/** Numbers from 0 that repeat in every run (a linear congruential generator). */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state >>> 16;
  }
}

t.test(
  `${APPROVALS} approvals with the screen changed on the way: nothing is clicked that was not approved`,
  { timeout: 60_000 + APPROVALS * 500 },
  async (t) => {
    const target = await RacedTarget.start(t);
    const appliance = await Appliance.start(t, {
      connect: [target.url],
      mode: "assist",
      env: { OC_APPROVAL_ARMING_MS: "0" },
    });
    const agent = await appliance.agent({ token: appliance.agentToken });
    await until("a picture", () => agent.shot());
    const random = numbers(7);
    const next = (below: number): number => Number(random.next().value) % below;
    const counts = { done: 0, stale: 0, wrong: 0, otherCards: 0 };
    for (let i = 0; i < APPROVALS; i++) {
      await target.quiet();
      const seen = target.told;
      const moment = MOMENTS[next(MOMENTS.length)] ?? "never";
      // Now and then nothing is different afterwards.
      const colour = next(5) === 0 ? seen : 1 + ((seen + next(0xffff)) & 0xffffff);
      const change = (): void => target.change(colour);
      const pressed = target.presses.length;
      const work = outcome(agent, "click_at", { ...PLACE });
      const id = await until("a question", async () => {
        return (await rest(appliance, "/api/v1/approvals"))[0]?.id ?? null;
      });
      if (moment === "and back" && colour !== seen) {
        change();
        target.change(seen);
      }
      target.onProbe = {
        ...(moment === "as it is asked" ? { before: change } : {}),
        ...(moment === "late" ? { after: change } : {}),
      };
      if (moment === "before the yes") change();
      const shown = await appliance.fetch(`/api/v1/approvals/${id}/picture.png`);
      // Void already: then no card shows anything.
      if (shown.ok) {
        const picture = sharp(await shown.arrayBuffer())
          .removeAlpha()
          .raw();
        const { data, info } = await picture.toBuffer({ resolveWithObject: true });
        const middle = data.readUIntLE(3 * (info.width * (info.height >> 1) + (info.width >> 1)), 3);
        if (middle !== (seen & 0xffffff)) {
          counts.otherCards++;
          t.fail(
            `card ${i}, changed ${moment}: it shows ${middle.toString(16)}, bound is ${seen.toString(16)}`,
          );
        }
      }
      const yes = appliance.fetch(`/api/v1/approvals/${id}`, { decision: "approve" });
      if (moment === "with the yes") change();
      await yes;
      const code = await work;
      target.onProbe = {};
      if (code === "done") await until("the press", () => target.presses.length > pressed);
      const presses = target.presses.slice(pressed);
      if (code === "done") counts.done++;
      else if (code === "stale_screen") counts.stale++;
      else t.fail(`approval ${i} came to ${code}`);
      const isWrong =
        presses.some(({ told }) => told !== seen) ||
        (moment === "and back" && colour !== seen && presses.length > 0) ||
        presses.length !== (code === "done" ? 1 : 0);
      if (isWrong) {
        counts.wrong++;
        t.fail(`approval ${i}, changed ${moment}: ${code}, presses ${JSON.stringify(presses)}, saw ${seen}`);
      }
    }
    t.comment(JSON.stringify(counts));
    t.equal(counts.wrong, 0, "stale injections");
    t.equal(counts.otherCards, 0, "cards that differ from what is bound");
    t.ok(counts.stale > APPROVALS / 5, `${counts.stale} were stale`);
    t.ok(counts.done > APPROVALS / 5, `${counts.done} were done`);
    appliance.assertAlive();
  },
);
