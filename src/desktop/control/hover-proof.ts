import { RefusedError } from "../error.ts";
import type { AgentInput } from "../input/agent-input.ts";
import type { Proving } from "../input/typing-pace.ts";
import { latestPicture } from "../picture/latest-picture.ts";
import type { HoverProof } from "./action.ts";
import type { GatePorts } from "./gate-ports.ts";

/** What lights up under the pointer, or slides there, has so long to come to rest. */
const REST_WITHIN_MS = 1000;

type ProofPorts = Pick<GatePorts, "display" | "input" | "clock" | "changedSince">;

/** How a click proves its place; null where nothing is to be proven. */
export function proving(
  proof: HoverProof | undefined,
  ports: ProofPorts,
  agentInput: Pick<AgentInput, "proven">,
  signal: AbortSignal,
): Proving | null {
  if (proof === undefined) return null;
  return {
    ready: () => proof.ready(),
    under: async (wheel) => {
      await prove(proof, ports, signal, (isDown) => {
        agentInput.proven();
        wheel(isDown);
      });
      agentInput.proven();
    },
  };
}

/**
 * Resolves when what is meant is under the pointer: by the word of what shows it, and by the target's newest pixels, which
 * have not changed there since that word was asked for. The press comes right behind. Rejects as the proof does, and with
 * RefusedError stale_screen where the place does not rest.
 *
 * A window may still come between that picture and the press. X gives all of the pointer to the window in which the first
 * button went down until the last one is up (X Window System Protocol, ButtonPress: the automatic grab), and a notch of
 * the wheel is a button there. So where that can be, one is put down first, which alone does nothing much to whatever
 * may have come, and the press follows when what is meant has said that it has it: then nothing else can get the press.
 */
async function prove(
  proof: HoverProof,
  ports: ProofPorts,
  signal: AbortSignal,
  wheel: (isDown: boolean) => void,
): Promise<void> {
  const { display, input, clock, changedSince } = ports;
  const untilMs = clock.nowMs() + REST_WITHIN_MS;
  const restsSince = async (generation: number): Promise<boolean> => {
    await latestPicture(input.link, clock, signal, proof.rect);
    return changedSince(generation)?.overlaps(proof.rect) === false;
  };
  let isHeld = false;
  let mayHold = input.link?.holdsWheel === true && proof.mayHold();
  for (;;) {
    const { generation } = display;
    await proof.isUnder();
    signal.throwIfAborted();
    if (await restsSince(generation)) {
      if (isHeld || !mayHold) return;
      wheel(true);
      const [isSeen, rests] = await Promise.all([proof.isHeld(), restsSince(generation)]);
      signal.throwIfAborted();
      if (isSeen && rests) return;
      isHeld = isSeen;
      if (!isSeen) {
        mayHold = false;
        wheel(false);
      }
    }
    if (clock.nowMs() >= untilMs) {
      throw new RefusedError(
        "stale_screen",
        "what is under the pointer keeps changing, nothing was clicked: call again when it rests",
      );
    }
  }
}
