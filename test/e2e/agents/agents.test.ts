import t from "tap";
import { requireScene, type SceneKind } from "../targets/scene-target.ts";
import { Desk } from "./desk.ts";
import { Judge } from "./judge.ts";
import { TASKS, type Task } from "./tasks.ts";

/*
 * A mechanical agent does what agents do, on three desktops of others, and everything it is told is compared with the
 * outside: windows dumps of the target's own display, the page's events, files, the clipboard. In the check each target gets a
 * third of the tasks; `npm run test:agents -- PASSES LOAD` does all of them on each.
 */

const TARGETS = ["tigervnc", "x11vnc", "xrdp-xorg"] as const satisfies readonly SceneKind[];

/** Of a model that reads pictures of what changed, against one that takes a whole one after each action. */
const MOST_IMAGE_SHARE = 0.25;

/** A target that is in no state for anything tells the same of every task, after its time limit. */
const MOST_FAILURES = 6;

const passes = Number(process.env["OC_AGENT_PASSES"] ?? "1");
const named = (name: string): readonly string[] =>
  (process.env[name] ?? "").split(",").filter((part) => part !== "");
const targets = named("OC_AGENT_TARGETS");
const wanted = named("OC_AGENT_TASKS");

/** All tasks where asked for; by numbers or words of their names; else every third, so that three targets do all. */
function tasksOf(index: number): readonly Task[] {
  if (wanted.includes("all")) return TASKS;
  if (wanted.length > 0) {
    return TASKS.filter(({ name }, i) => wanted.some((one) => one === `${i + 1}` || name.includes(one)));
  }
  return TASKS.filter(({ notInCheck }, i) => notInCheck === undefined && i % TARGETS.length === index);
}

for (const [index, kind] of TARGETS.entries()) {
  if (targets.length > 0 && !targets.includes(kind)) continue;
  t.test(`what an agent on ${kind} is told is true`, { timeout: passes * 1_800_000 }, async (t) => {
    if (!requireScene(t, kind, ["chromium", "xclip"])) return;
    const judge = new Judge();
    const desk = await Desk.open(t, kind, judge);
    const tasks = tasksOf(index);
    let failures = 0;
    for (let pass = 0; pass < passes; pass++) {
      for (const { name, run } of tasks) {
        if (failures === MOST_FAILURES) {
          t.fail(`${MOST_FAILURES} tasks failed: the others are left out`);
          return;
        }
        const before = judge.answers;
        const failure = await run(desk).then(
          () => null,
          (error: unknown) => error,
        );
        if (failure !== null) failures++;
        t.equal(failure, null, `${name} (${judge.answers - before} answers)`);
      }
    }
    t.comment(`${kind}: ${tasks.length * passes} tasks, ${judge.summary}`);
    t.same(judge.untrue, [], "no untrue answer");
    t.same(judge.excesses, [], "few answers say nothing, come before a late change, or tell of too much");
    t.ok(judge.answers >= tasks.length * passes, "every task was judged");
    const share = judge.imageBytes / Math.max(1, judge.fullBytes);
    t.ok(share <= MOST_IMAGE_SHARE, `images of what changed are ${Math.round(share * 100)} % of whole ones`);
  });
}
