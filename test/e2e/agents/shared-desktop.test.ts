import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import * as z from "zod";
import { Appliance } from "../harness/appliance.ts";
import { EventWindow, type Seen, stillDown } from "../harness/event-window.ts";
import { type Agent, ToolRefusal } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { PersonHand } from "../harness/person-hand.ts";
import { startTarget } from "../targets/target.ts";

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));

/** How long they share it: a short while in the check, a minute with OC_SHARED_SECONDS=60. */
const SECONDS = Number(process.env["OC_SHARED_SECONDS"] ?? 8);
/** How much longer at most, on a busy machine, until each had turns enough. */
const MOST_LATE_SECONDS = 60;
const HUMAN_IDLE_MS = 120;

type Who = "ann" | "bob" | "person";

/** Each uses keys and buttons of their own, so that the target can tell them apart. */
const OWN: Readonly<Record<Who, RegExp>> = {
  ann: /^(down|up) ([a-e]|Shift_L)$|^(press|release) 1 /,
  bob: /^(down|up) ([k-o]|Control_L)$|^(press|release) 3 /,
  person: /^(down|up) [0-9]$|^(press|release) 2 /,
};

function whose(seen: Seen): Who {
  const found = (["ann", "bob", "person"] as const).find((who) => OWN[who].test(seen));
  if (found === undefined) throw new Error(`nobody sends ${seen}`);
  return found;
}

/** What an agent did in a row, as the target saw it. */
interface Stretch {
  readonly who: Who;
  readonly events: Seen[];
}

function stretchesOf(seen: readonly Seen[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const event of seen) {
    const who = whose(event);
    const last = stretches.at(-1);
    if (last?.who === who) last.events.push(event);
    else stretches.push({ who, events: [event] });
  }
  return stretches;
}

const listSchema = z.array(z.looseObject({ id: z.string() }));

t.test(
  `two agents and a person on one desktop for ${SECONDS} s: no action inside another's, no key left down`,
  { timeout: (SECONDS + MOST_LATE_SECONDS + 90) * 1000 },
  async (t) => {
    if (!requirePeers(t, ["Xtigervnc", "openbox", "xdotool", "xev"])) return;
    const target = await startTarget(t, "tigervnc", t.testdir(), { geometry: "800x600" });
    const { display } = target;
    await display.openWindowManager();
    const window = await EventWindow.open(display, "600x400+100+100");
    const place = await display.placeOf(window.id);
    const at = { x: place.x + 200, y: place.y + 200 };
    const env = { OC_HUMAN_IDLE_MS: String(HUMAN_IDLE_MS) };
    const appliance = await Appliance.start(t, { connect: [target.url], env });
    const ann = await appliance.agent({ token: appliance.agentToken });
    const bob = await anotherAgent(appliance);
    const response = await appliance.fetch("/api/v1/desktops");
    const desktopId = listSchema.parse(await response.json())[0]?.id ?? "";
    const person = await PersonHand.open(t, appliance, desktopId);
    await ann.call("click_at", at);
    const mark = window.mark;
    const beganMs = performance.now();
    const done = { ann: 0, bob: 0, person: 0 };
    const lost = { ann: 0, bob: 0 };
    const hadTurns = (): boolean => Math.min(done.ann, done.bob, done.person) > 10 && lost.ann + lost.bob > 0;
    // A busy machine gets longer until everybody had turns enough.
    const goesOn = (): boolean => {
      const seconds = (performance.now() - beganMs) / 1000;
      return seconds < SECONDS || (!hadTurns() && seconds < SECONDS + MOST_LATE_SECONDS);
    };

    const work = async (who: "ann" | "bob", agent: Agent): Promise<void> => {
      const [text, button, held] = who === "ann" ? ["abcde", "left", "shift"] : ["klmno", "right", "ctrl"];
      const path = [at, { x: at.x + 50, y: at.y + 50 }, { x: at.x + 100, y: at.y }];
      const actions: readonly (readonly [string, Record<string, unknown>])[] = [
        ["type_text", { text, typing_speed_wpm: 3000 }],
        ["drag", { path, button }],
        ["click_at", { ...at, button, hold_keys: [held], clicks: 2 }],
        ["type_text", { text }],
      ];
      for (let i = 0; goesOn(); i++) {
        const [tool, args] = actions[i % actions.length] ?? ["wait", {}];
        const code = await agent.call(tool, { ...args, effect_timeout_ms: 0 }).then(
          () => null,
          (error: unknown) => (error instanceof ToolRefusal ? error.code : String(error)),
        );
        if (code === null) done[who]++;
        else if (code === "human_in_control") lost[who]++;
        else t.fail(`${who}'s ${tool} was refused with ${code}`);
      }
    };
    const play = async (): Promise<void> => {
      for (let i = 0; goesOn(); i++) {
        const keysym = 0x30 + (i % 10);
        person.key(keysym, true);
        person.key(keysym, false);
        person.pointer(at.x + 20, at.y + 20, 2);
        person.pointer(at.x + 20, at.y + 20, 0);
        done.person++;
        // Long enough for the agents to have the input again.
        await pause(HUMAN_IDLE_MS * 3 + (i % 7) * 31);
      }
    };
    await Promise.all([work("ann", ann), work("bob", bob), play()]);
    t.comment(`done ${JSON.stringify(done)}, lost to the person ${JSON.stringify(lost)}`);
    const seen = (await window.until(mark)).filter((line) => !line.startsWith("move"));
    t.same(stillDown(seen), [], "nothing is left down");
    t.ok(hadTurns(), "everybody got something done, and the person came in between");

    const stretches = stretchesOf(seen);
    // With those before and after it, so that a failure says who came in between.
    const torn = stretches.flatMap(({ events }, i) =>
      stillDown(events).length > 0 ? [stretches.slice(Math.max(0, i - 1), i + 2)] : [],
    );
    t.same(torn, [], "whoever comes next finds nothing down");
    // An agent's stretch that another agent ended is whole actions; only the person cuts one short.
    const cut = stretches.filter((stretch, i) => {
      const next = stretches[i + 1]?.who;
      return stretch.who !== "person" && next !== "person" && !isWhole(stretch);
    });
    t.same(cut, [], "no agent's action is inside another's");
    const people = seen.filter((line) => whose(line) === "person").length;
    t.equal(people, done.person * 4, "all that the person did arrived");
  },
);

/** An agent with a token of its own, made by the command line beside the running server. */
async function anotherAgent(appliance: Appliance): Promise<Agent> {
  const args = [MAIN, "token", "create", "agent", "--name", "bob", "--data-dir", appliance.dataDir];
  const { stdout } = await run(process.execPath, args);
  const token = stdout.split("\n")[0] ?? "";
  return await appliance.agent({ token });
}

/** Whether an agent's stretch is made of its whole actions only. */
function isWhole({ who, events }: Stretch): boolean {
  const words = events.map((line) => line.replace(/ \d+,\d+$/, "")).join(";");
  const [letters, button, held] = who === "ann" ? ["abcde", 1, "Shift_L"] : ["klmno", 3, "Control_L"];
  const typed = [...letters].map((letter) => `down ${letter};up ${letter}`).join(";");
  const drag = `press ${button};release ${button}`;
  const click = `down ${held};${drag};${drag};up ${held}`;
  return new RegExp(`^(?:(?:${typed}|${click}|${drag})(?:;|$))+$`).test(words);
}
