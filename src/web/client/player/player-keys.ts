import { t } from "../language/language.ts";
/** What a key asks of the player. */
export type PlayerCommand =
  | { readonly kind: "toggle" }
  | { readonly kind: "move"; readonly byMs: number }
  /** One change of the picture forwards or back. */
  | { readonly kind: "frame"; readonly by: 1 | -1 }
  | { readonly kind: "action"; readonly by: 1 | -1 }
  | { readonly kind: "marker"; readonly by: 1 | -1 }
  /** A place in the recorded text that has what is looked for. */
  | { readonly kind: "hit"; readonly by: 1 | -1 }
  | { readonly kind: "speed"; readonly by: 1 | -1 }
  | { readonly kind: "cycle_speed" }
  /** A tenth of the whole, 0 to 9. */
  | { readonly kind: "tenth"; readonly tenth: number }
  | { readonly kind: "start" }
  | { readonly kind: "end" }
  | { readonly kind: "overlays" }
  | { readonly kind: "skip_idle" }
  | { readonly kind: "copy_link" }
  /** Marks the moment that is shown. */
  | { readonly kind: "mark" }
  | { readonly kind: "find" }
  | { readonly kind: "full_screen" };

const STEP_MS = 5000;
const JUMP_MS = 10_000;
const LEAP_MS = 30_000;

/** Keys that people know from other players; the list is the help's too. */
export const PLAYER_SHORTCUTS = [
  [t`Space, K`, t`Play or pause`],
  ["← →", t`5 seconds back or on; with Shift 30`],
  ["J L", t`10 seconds back or on`],
  [", .", t`One frame back or on`],
  ["P N", t`Previous or next action`],
  ["[ ]", t`Previous or next marker`],
  ["< >", t`Slower or faster; S goes round`],
  ["0 – 9", t`To a tenth of the recording`],
  [t`Home End`, t`To the start, to the end or live`],
  ["O", t`Overlays on or off`],
  ["I", t`Skip what is idle, or not`],
  ["C", t`Copy a link to this moment`],
  ["M", t`Mark this moment`],
  ["/", t`Find in the recording`],
  ["G", t`Next place in the text; with Shift the previous one`],
  ["F", t`Full screen`],
] as const;

const COMMANDS: Readonly<Record<string, PlayerCommand>> = {
  " ": { kind: "toggle" },
  k: { kind: "toggle" },
  j: { kind: "move", byMs: -JUMP_MS },
  l: { kind: "move", byMs: JUMP_MS },
  ",": { kind: "frame", by: -1 },
  ".": { kind: "frame", by: 1 },
  p: { kind: "action", by: -1 },
  n: { kind: "action", by: 1 },
  "[": { kind: "marker", by: -1 },
  "]": { kind: "marker", by: 1 },
  "<": { kind: "speed", by: -1 },
  ">": { kind: "speed", by: 1 },
  s: { kind: "cycle_speed" },
  home: { kind: "start" },
  end: { kind: "end" },
  o: { kind: "overlays" },
  i: { kind: "skip_idle" },
  c: { kind: "copy_link" },
  m: { kind: "mark" },
  "/": { kind: "find" },
  f: { kind: "full_screen" },
};

/** The part of a KeyboardEvent that matters. */
export interface PressedKey {
  readonly key: string;
  readonly shiftKey: boolean;
}

/** The command of a key; null where the key is not the player's. */
export function commandOf({ key, shiftKey }: PressedKey): PlayerCommand | null {
  if (key === "ArrowLeft") return { kind: "move", byMs: shiftKey ? -LEAP_MS : -STEP_MS };
  if (key === "ArrowRight") return { kind: "move", byMs: shiftKey ? LEAP_MS : STEP_MS };
  if (key.toLowerCase() === "g") return { kind: "hit", by: shiftKey ? -1 : 1 };
  if (/^[0-9]$/.test(key)) return { kind: "tenth", tenth: Number(key) };
  const name = key.toLowerCase();
  return Object.hasOwn(COMMANDS, name) ? (COMMANDS[name] ?? null) : null;
}
