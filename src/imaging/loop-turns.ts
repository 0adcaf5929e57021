const waiting: (() => void)[] = [];
let isDue = false;
let isClaimed = false;

/** Turns in a row that are left to new connections: with as many between two slices hundreds are there within some slices. */
const MOST_ARRIVING = 32;

let isArriving = false;
let arriving = 0;

/**
 * A connection was accepted in this turn. libuv accepts one in each turn of the loop: behind hundreds that come at once
 * the next one, which may bring what cannot wait, would wait for as many slices.
 */
export function connectionArrived(): void {
  if (isArriving) return;
  isArriving = true;
  arriving = (arriving + 1) % (MOST_ARRIVING + 1);
  setImmediate(() => {
    isArriving = false;
  });
}

/** Whether what waits for a turn leaves this one to those who connect. Asked in immediates. */
export function isForArrivals(): boolean {
  return isArriving && arriving > 0;
}

/**
 * Gives everybody else a turn of the event loop. Long work is done in slices with one of these between them.
 *
 * INVARIANT: of all who wait one goes on in each turn, in the order of asking: however many pictures are made at once,
 * a turn holds one slice, not one of each. (Node's own setImmediate lets all of them go on in the same turn.)
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (isDue) return;
    isDue = true;
    setImmediate(letNext);
  });
}

function letNext(): void {
  if (isForArrivals()) {
    setImmediate(letNext);
    return;
  }
  const next = waiting.shift();
  isDue = waiting.length > 0;
  // Within an immediate this is for the next turn.
  if (isDue) setImmediate(letNext);
  next?.();
}

/**
 * For who begins something that takes some of a turn: null where this turn is free for it, which it is not for the next
 * one who asks; else what to wait for.
 */
export function claimTurn(): Promise<void> | null {
  if (isDue || isClaimed) return nextTurn();
  isClaimed = true;
  setImmediate(() => {
    isClaimed = false;
  });
  return null;
}

/** Whether others have slices to do: who begins now goes behind them. */
export function isLoopShared(): boolean {
  return isDue;
}
