/**
 * What watches over the elements of a frame that masks hide, in our own isolated world there. Written as text, for it is
 * sent. `globalThis.ocMasks` is its state; what it tells goes to the server alone.
 */

/**
 * Frames of a page's main thread after which what it painted in one has left the browser: one may be in work, one be
 * drawn by the compositor, and one be unanswered by the display compositor, each of which holds up those that follow
 * (Chromium's cc/scheduler); the rest is room.
 */
const FLUSH_FRAMES = 8;
/** What the compositor scrolled or animated by itself is known to the page's main thread after so many frames. */
const CATCH_UP_FRAMES = 2;
/** A frame that paints nothing for so long, ms, may be one that is out of view: it is hidden as a whole. */
const STUCK_MS = 250;
/** After anything that may move an element each frame is measured for so long, ms. */
const MEASURED_FOR_MS = 600;
/** Where more elements are in view than this, all that is in view is hidden. */
const MOST_PLACES = 500;
/** What elements said is known for so long after they are gone, ms: a tree may still have it. */
const KNOWN_FOR_MS = 5000;
/** Shorter words are not taken out of what others say: they stand everywhere. */
const LEAST_WORD = 4;
/** A change that nobody asks about is kept for so long, ms, which is less than a call may take. */
const WAIT_MS = 15_000;
/** Roots in shadows are looked for anew no more often, ms: what attaches one tells nobody. */
const ROOTS_EVERY_MS = 200;

/** Installs the watch for these selectors, once; the value is `globalThis.ocMasks`. */
function installed(selectors: readonly string[]): string {
  return `(${INSTALL})(${JSON.stringify(selectors)})`;
}

/**
 * Resolves to {view, window, isZoomed, isHidden, isStuck, isQuiet, stirs, scale, count, places: [[selector, left, top,
 * right, bottom], …]}, in CSS pixels of the frame, once the frame knows of all that was on the screen when it was asked.
 * isQuiet: nothing that is hidden moved for so long that what it looked like before has left the browser; `stirs` counts
 * what may have moved something. `token`: another one than before says that something moved that the frame cannot know.
 */
export const lookExpression = (selectors: readonly string[], token: string): string =>
  `${installed(selectors)}.look(${JSON.stringify(token)})`;

/** Resolves when another look pays. */
export const waitExpression = (selectors: readonly string[]): string => `${installed(selectors)}.wait()`;

/** The elements, and what they say: {elements, words}. */
export const heldExpression = (selectors: readonly string[]): string => `${installed(selectors)}.held()`;

const INSTALL = `(selectors) => {
  const key = JSON.stringify(selectors);
  if (globalThis.ocMasks?.key === key) return globalThis.ocMasks;
  globalThis.ocMasks?.end();
  const told = new Map();
  const roots = new Set();
  let waiting = [];
  let frames = 0;
  let stirs = 0;
  let stirredAt = 0;
  let lastToken = null;
  let painting = [];
  let isNews = true;
  let measureUntil = 0;
  let isMeasuring = false;
  let rootsAt = -1e9;
  const now = () => performance.now();
  const news = () => {
    isNews = true;
    const all = waiting;
    waiting = [];
    for (const one of all) one();
  };
  const wordsOf = (element) => {
    const said = [element.value, element.innerText ?? element.textContent].filter((text) => typeof text === "string");
    return said.flatMap((text) => [text, ...text.split(/\\n+/)]).map((text) => text.replace(/\\s+/g, " ").trim()).filter((text) => text.length >= ${LEAST_WORD});
  };
  const find = () => {
    let isMore = false;
    for (const root of roots) {
      selectors.forEach((selector, index) => {
        let found = [];
        try { found = root.querySelectorAll(selector); } catch {}
        for (const element of found) {
          const known = told.get(element);
          if (known?.index === index && known.goneAt === null) continue;
          if (known !== undefined && known.goneAt === null) continue;
          told.set(element, {index, goneAt: null, last: null, words: []});
          isMore = true;
        }
      });
    }
    for (const [element, known] of told) {
      // A field whose password is shown is still one.
      const isMeant = element.isConnected && (element.localName === "input" || element.matches(selectors[known.index]));
      if (isMeant) known.goneAt = null;
      else if (known.goneAt === null) known.goneAt = now();
      else if (now() - known.goneAt > ${KNOWN_FOR_MS}) told.delete(element);
    }
    if (isMore) news();
  };
  const watchRoot = (root) => {
    if (roots.has(root)) return;
    roots.add(root);
    observer.observe(root, {subtree: true, childList: true, attributes: true, characterData: true});
    for (const type of EVENTS) root.addEventListener(type, stir, {capture: true, passive: true});
  };
  const findRoots = () => {
    rootsAt = now();
    const look = (root) => {
      watchRoot(root);
      for (const element of root.querySelectorAll("*")) if (element.shadowRoot) look(element.shadowRoot);
    };
    look(document);
    for (const root of roots) if (root !== document && !root.isConnected) roots.delete(root);
  };
  const EVENTS = ["scroll", "wheel", "touchmove", "pointerdown", "pointermove", "keydown", "input", "focusin", "transitionrun", "animationstart", "toggle"];
  // The compositor scrolls by itself: the page may see the end of it alone.
  const SCROLLS = ["scroll", "wheel", "touchmove"];
  const isQuiet = () => frames - stirredAt >= ${FLUSH_FRAMES};
  const moved = () => {
    stirs++;
    stirredAt = frames;
    run();
  };
  const stir = ({type}) => {
    measureUntil = now() + ${MEASURED_FOR_MS};
    if (SCROLLS.includes(type)) moved();
    run();
  };
  const isBusy = () => painting.length > 0 || !isQuiet() || (now() < measureUntil && told.size > 0);
  const run = () => {
    if (isMeasuring || !isBusy()) return;
    isMeasuring = true;
    requestAnimationFrame(frame);
  };
  const frame = () => {
    isMeasuring = false;
    const wasQuiet = isQuiet();
    frames++;
    measure();
    if (!wasQuiet && isQuiet()) news();
    paint();
    run();
  };
  const paint = () => {
    const all = painting;
    painting = [];
    for (const one of all) one();
  };
  const nextFrame = () => new Promise((resolve) => {
    painting.push(resolve);
    run();
  });
  const observer = new MutationObserver((changes) => {
    if (changes.some(({addedNodes}) => [...addedNodes].some((node) => node.shadowRoot || node.firstElementChild || node.localName?.includes("-")))) findRoots();
    find();
    // What a script does after our frame, and undoes before the next one, is painted as well.
    if (told.size > 0) measure();
    stir({type: "change"});
  });
  const clipped = (element, box) => {
    let [left, top, right, bottom] = box;
    for (let at = element; at; ) {
      const {position, overflowX, overflowY} = getComputedStyle(at);
      if (at !== element && (overflowX !== "visible" || overflowY !== "visible") && at !== document.body && at !== document.documentElement) {
        const to = at.getBoundingClientRect();
        left = Math.max(left, to.left); top = Math.max(top, to.top);
        right = Math.min(right, to.right); bottom = Math.min(bottom, to.bottom);
      }
      // What is taken out of the flow may not be cut by what holds it.
      if (position === "fixed" || position === "absolute") break;
      at = at.assignedSlot ?? at.parentElement ?? at.getRootNode().host ?? null;
    }
    return [left, top, right, bottom];
  };
  const boxOf = (element) => {
    if (!element.isConnected || !element.checkVisibility({visibilityProperty: true})) return null;
    const range = document.createRange();
    range.selectNodeContents(element);
    const rects = [element.getBoundingClientRect(), range.getBoundingClientRect()].filter(({width, height}) => width > 0 && height > 0);
    if (rects.length === 0) return null;
    const box = clipped(element, [
      Math.min(...rects.map(({left}) => left)), Math.min(...rects.map(({top}) => top)),
      Math.max(...rects.map(({right}) => right)), Math.max(...rects.map(({bottom}) => bottom))]);
    const [left, top, right, bottom] = [Math.max(0, box[0]), Math.max(0, box[1]), Math.min(innerWidth, box[2]), Math.min(innerHeight, box[3])];
    return right > left && bottom > top ? [left, top, right, bottom] : null;
  };
  const measure = () => {
    for (const [element, known] of told) {
      const box = boxOf(element);
      if (element.isConnected) {
        const words = wordsOf(element);
        if (words.length > 0) known.words = [...new Set([...words, ...known.words])].slice(0, 200);
      }
      if (String(box) === String(known.last)) continue;
      known.last = box;
      moved();
      news();
    }
  };
  const fresh = () => {
    if (now() - rootsAt > ${ROOTS_EVERY_MS}) findRoots();
    find();
    measure();
    stir({type: "look"});
  };
  const windowNow = () => [screenX, screenY, outerWidth, outerHeight, innerWidth, innerHeight, devicePixelRatio].join(",");
  const visibility = () => {
    moved();
    // What is hidden has no frames.
    paint();
    news();
  };
  document.addEventListener("visibilitychange", visibility);
  addEventListener("resize", news);
  const look = async (token) => {
    isNews = false;
    if (token !== lastToken) moved();
    lastToken = token;
    fresh();
    const isTop = window === top;
    // What has no element has none in what is painted already.
    const hasAny = isTop || told.size > 0;
    let isStuck = false;
    for (let i = 0; i < ${CATCH_UP_FRAMES} && hasAny && !isStuck && !document.hidden; i++) {
      let timer = 0;
      const late = new Promise((resolve) => { if (!isTop) timer = setTimeout(() => resolve(true), ${STUCK_MS}); });
      isStuck = await Promise.race([nextFrame().then(() => false), late]);
      clearTimeout(timer);
    }
    find();
    measure();
    isNews = false;
    const current = [...told.values()].filter(({last}) => last !== null).map(({index, last}) => [index, ...last]);
    return {
      view: [innerWidth, innerHeight], window: windowNow(), isZoomed: (visualViewport?.scale ?? 1) !== 1,
      isHidden: document.hidden, scale: devicePixelRatio, isStuck, isQuiet: !hasAny || isStuck || isQuiet(), stirs,
      count: [...told.values()].filter(({goneAt}) => goneAt === null).length,
      places: current.length > ${MOST_PLACES} ? selectors.map((_one, index) => [index, 0, 0, innerWidth, innerHeight]) : current,
    };
  };
  const wait = () => new Promise((resolve) => {
    if (isNews) return resolve(true);
    const end = () => { clearTimeout(timer); resolve(true); };
    const timer = setTimeout(end, ${WAIT_MS});
    waiting.push(end);
  });
  const words = () => {
    fresh();
    return [...new Set([...told.values()].flatMap((known) => known.words))].sort((a, b) => b.length - a.length).slice(0, 1000);
  };
  /** What of a text is said by an element that is hidden is taken out. */
  const scrub = (text) => words().reduce((left, word) => left.split(word).join("[hidden]"), String(text));
  const end = () => {
    observer.disconnect();
    for (const root of roots) for (const type of EVENTS) root.removeEventListener(type, stir, {capture: true});
    document.removeEventListener("visibilitychange", visibility);
    removeEventListener("resize", news);
    paint();
    news();
  };
  globalThis.ocMasks = {key, look, wait, scrub, end, held: () => ({elements: [...told.keys()], words: words()})};
  findRoots();
  find();
  return globalThis.ocMasks;
}`;
