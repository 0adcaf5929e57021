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
    under: async () => {
      await prove(proof, ports, signal);
      agentInput.proven();
    },
  };
}

/**
 * Resolves when what is meant is under the pointer: by the word of what shows it, and by the target's newest pixels, which
 * have not changed there since that word was asked for. The press comes right behind. Rejects as the proof does, and with
 * RefusedError stale_screen where the place does not rest.
 */
async function prove(proof: HoverProof, ports: ProofPorts, signal: AbortSignal): Promise<void> {
  const { display, input, clock, changedSince } = ports;
  const untilMs = clock.nowMs() + REST_WITHIN_MS;
  for (;;) {
    const { generation } = display;
    await proof.isUnder();
    signal.throwIfAborted();
    await latestPicture(input.link, clock, signal, proof.rect);
    if (changedSince(generation)?.overlaps(proof.rect) === false) return;
    if (clock.nowMs() >= untilMs) {
      throw new RefusedError(
        "stale_screen",
        "what is under the pointer keeps changing, nothing was clicked: call again when it rests",
      );
    }
  }
}
