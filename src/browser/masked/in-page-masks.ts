/**
 * What watches over the elements of a frame that masks hide, in our own isolated world there. Written as text, for it is
 * sent. `globalThis.ocMasks` is its state; what it tells goes to the server alone.
 */

/** A place is told for so long after its element left it, ms: what is painted of it comes that much later at most. */
const TOLD_FOR_MS = 400;
/** After anything that may move an element each frame is measured for so long, ms. */
const MEASURED_FOR_MS = 600;
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

/** {view, window, isZoomed, isHidden, scale, places: [[selector, left, top, right, bottom], …]}, in CSS pixels of the frame. */
export const lookExpression = (selectors: readonly string[]): string => `${installed(selectors)}.look()`;

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
  const places = [];
  let waiting = [];
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
  const EVENTS = ["scroll", "wheel", "pointerdown", "pointermove", "keydown", "input", "focusin", "transitionrun", "animationstart", "toggle"];
  const stir = () => {
    measureUntil = now() + ${MEASURED_FOR_MS};
    if (isMeasuring || told.size === 0) return;
    isMeasuring = true;
    requestAnimationFrame(frame);
  };
  const frame = () => {
    measure();
    if (now() < measureUntil && told.size > 0) requestAnimationFrame(frame);
    else isMeasuring = false;
  };
  const observer = new MutationObserver((changes) => {
    if (changes.some(({addedNodes}) => [...addedNodes].some((node) => node.shadowRoot || node.firstElementChild || node.localName?.includes("-")))) findRoots();
    find();
    stir();
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
    const at = now();
    while (places.length > 0 && (places[0].at < at - ${TOLD_FOR_MS} || places.length > 2000)) places.shift();
    for (const [element, known] of told) {
      const box = boxOf(element);
      if (element.isConnected) {
        const words = wordsOf(element);
        if (words.length > 0) known.words = [...new Set([...words, ...known.words])].slice(0, 200);
      }
      if (String(box) === String(known.last)) continue;
      // Where it was until now, and all on the way: what moves is painted between two looks as well.
      if (known.last !== null) {
        places.push({at, index: known.index, box: known.last});
        if (box !== null) places.push({at, index: known.index, box: [
          Math.min(box[0], known.last[0]), Math.min(box[1], known.last[1]), Math.max(box[2], known.last[2]), Math.max(box[3], known.last[3])]});
      }
      known.last = box;
      news();
    }
  };
  const fresh = () => {
    if (now() - rootsAt > ${ROOTS_EVERY_MS}) findRoots();
    find();
    measure();
    stir();
  };
  const windowNow = () => [screenX, screenY, outerWidth, outerHeight, innerWidth, innerHeight, devicePixelRatio].join(",");
  const visibility = () => news();
  document.addEventListener("visibilitychange", visibility);
  addEventListener("resize", news);
  const look = () => {
    isNews = false;
    fresh();
    isNews = false;
    const current = [...told.values()].filter(({last}) => last !== null).map(({index, last}) => [index, ...last]);
    return {
      view: [innerWidth, innerHeight], window: windowNow(), isZoomed: (visualViewport?.scale ?? 1) !== 1,
      isHidden: document.hidden, scale: devicePixelRatio, isMoving: places.length > 0,
      count: [...told.values()].filter(({goneAt}) => goneAt === null).length,
      places: [...current, ...places.map(({index, box}) => [index, ...box])].slice(0, 500),
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
    news();
  };
  globalThis.ocMasks = {key, look, wait, scrub, end, held: () => ({elements: [...told.keys()], words: words()})};
  findRoots();
  find();
  return globalThis.ocMasks;
}`;
