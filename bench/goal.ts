/** What a measured pair has to reach. */
export type Goal =
  /** So many times better than the peer: theirs / ours. */
  | { readonly atLeast: number }
  /** At most so many times what the peer takes: ours / theirs. */
  | { readonly atMost: number }
  /** At most so much more than the peer takes: ours - theirs. */
  | { readonly plus: number }
  /** At most so much, whatever the peer takes. */
  | { readonly within: number };

export interface Verdict {
  /** "12.3x", "+2.1 ms" */
  readonly ratio: string;
  /** ">= 10x", "<= +5 ms" */
  readonly goal: string;
  readonly isMet: boolean;
}

/** Two amounts of the same unit, judged. */
export function judge(goal: Goal, ours: number, theirs: number, unit: string): Verdict {
  if ("atLeast" in goal) {
    const ratio = theirs / ours;
    return { ratio: times(ratio), goal: `>= ${goal.atLeast}x`, isMet: ratio >= goal.atLeast };
  }
  const ratio = ours / theirs;
  if ("atMost" in goal)
    return { ratio: times(ratio), goal: `<= ${goal.atMost}x`, isMet: ratio <= goal.atMost };
  if ("plus" in goal) {
    const more = ours - theirs;
    const sign = more < 0 ? "-" : "+";
    return {
      ratio: `${sign}${Math.abs(more).toFixed(1)} ${unit}`,
      goal: `<= +${goal.plus} ${unit}`,
      isMet: more <= goal.plus,
    };
  }
  return { ratio: times(ratio), goal: `<= ${goal.within} ${unit}`, isMet: ours <= goal.within };
}

/** "-" where the peer took nothing. */
function times(ratio: number): string {
  if (!Number.isFinite(ratio)) return "-";
  return `${ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0)}x`;
}
