import { type Clock, delay } from "../../platform/clock.ts";
import type { LinkError } from "../error.ts";
import { IGNORE_EVENTS, type Link } from "../link.ts";

interface TestStep {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface TestReport {
  readonly success: boolean;
  /** How far the handshake got, in order, in words. */
  readonly steps: readonly TestStep[];
  readonly message: string;
}

const TEST_MS = 20_000;

/** Really shakes hands over a link of its own, waits for the first picture, and closes it. */
export async function testLink(link: Link, clock: Clock): Promise<TestReport> {
  const steps: TestStep[] = [];
  const limit = new AbortController();
  const finished = new Promise<{ readonly name: string } | LinkError>((resolve) => {
    let name = "";
    link.open({
      ...IGNORE_EVENTS,
      ready: (info) => {
        name = info.name;
      },
      update: () => {
        resolve({ name });
      },
      step: (step, detail) => steps.push({ name: step, ok: true, detail }),
      closed: resolve,
    });
  });
  const timeout = delay(clock, TEST_MS, limit.signal).then(() => null);
  try {
    const outcome = await Promise.race([finished, timeout]);
    if (outcome === null) return failure(steps, "picture", "the target sent no picture within 20 s");
    if (outcome instanceof Error) return failure(steps, failedStep(steps), outcome.message);
    const { width, height } = link.framebuffer;
    const detail = `${width}x${height}, "${outcome.name}"`;
    steps.push({ name: "picture", ok: true, detail });
    return { success: true, steps, message: `connected: ${link.description}, ${detail}` };
  } finally {
    limit.abort();
    timeout.catch(() => undefined);
    link.close();
  }
}

const ORDER = ["connect", "version", "security", "authentication", "picture"];

/** The first step that did not happen. */
function failedStep(steps: readonly TestStep[]): string {
  return ORDER.find((name) => !steps.some((step) => step.name === name)) ?? "picture";
}

function failure(steps: readonly TestStep[], name: string, detail: string): TestReport {
  return { success: false, steps: [...steps, { name, ok: false, detail }], message: `${name}: ${detail}` };
}
