import { COVERED_BY } from "./in-page.ts";

/** After anything that may move an element it is measured for so long, ms. */
const MEASURED_FOR_MS = 600;
/** A change that nobody asks about is waited for so long, ms, which is less than a call may take. */
const WAIT_MS = 15_000;

/**
 * Resolves when the element is elsewhere in its frame, covered, shown or hidden, or its window is another than when it was
 * `last`, and gives what it is then; or after a while. Runs in our own world, with the element as `this`.
 */
export const changedFrom = (last: string): string => `function(){
  const coverOf = ${COVERED_BY};
  const of = this.nodeType === 1 ? this : this.parentElement;
  const key = () => {
    if (!of?.isConnected) return "gone";
    const {left, top, right, bottom} = of.getBoundingClientRect();
    const hit = of.getRootNode().elementFromPoint?.((left + right) / 2, (top + bottom) / 2);
    return [left, top, right, bottom, of.checkVisibility({visibilityProperty: true}), hit ? coverOf.call(of, hit) : "none",
      document.hidden, innerWidth, innerHeight, devicePixelRatio, screenX, screenY].join();
  };
  const last = ${JSON.stringify(last)};
  if (key() !== last) return key();
  return new Promise((resolve) => {
    let untilMs = 0;
    let isMeasuring = false;
    let isOver = false;
    const roots = [window, of.getRootNode()];
    const types = ["scroll", "wheel", "pointerdown", "keydown", "input", "transitionrun", "animationstart", "toggle"];
    const end = () => {
      isOver = true;
      clearTimeout(timer);
      observer.disconnect();
      for (const root of roots) for (const type of types) root.removeEventListener(type, stir, {capture: true});
      document.removeEventListener("visibilitychange", look);
      removeEventListener("resize", look);
      resolve(key());
    };
    const look = () => { if (!isOver && key() !== last) end(); };
    const frame = () => {
      look();
      isMeasuring = !isOver && performance.now() < untilMs;
      if (isMeasuring) requestAnimationFrame(frame);
    };
    const stir = () => {
      untilMs = performance.now() + ${MEASURED_FOR_MS};
      if (isMeasuring || isOver) return;
      isMeasuring = true;
      requestAnimationFrame(frame);
    };
    const observer = new MutationObserver(stir);
    for (const root of new Set([document, of.getRootNode()]))
      observer.observe(root, {subtree: true, childList: true, attributes: true, characterData: true});
    for (const root of roots) for (const type of types) root.addEventListener(type, stir, {capture: true, passive: true});
    document.addEventListener("visibilitychange", look);
    addEventListener("resize", look);
    const timer = setTimeout(end, ${WAIT_MS});
  });
}`;
