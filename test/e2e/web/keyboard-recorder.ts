/** What takes presses by itself. */
const CONTROLS =
  "a[href], button, input, select, textarea, summary, [role=slider], [role=tab], [role=button], [role=link]";

/** What is read to its end before what comes next. */
const GROUPS =
  "header, nav, main, aside, section, article, dialog, [popover], form, fieldset, footer, ol, ul, li, tr, dl, div";

/** What has one stop for all of it; arrows go from one to the next. */
const ROVING =
  "[role=tablist], [role=toolbar], [role=listbox], [role=menu], [role=radiogroup], [role=grid], ol, ul";

/** What takes presses of a mouse alone, and how keys do the same. */
const BY_OTHER_KEYS = [
  // Areas are added, placed and sized by numbers in the list beside it.
  ".rules-map",
  // The desktop's picture: the element beside it has the keyboard, and sends it there.
  ".viewer-frame",
  // A recording's picture plays and stops where it is pressed, as the button below it does, and Space.
  ".player .stage",
].join(", ");

/** Within a page, from its begin on: where the focus was, and what there is to say of it. */
export const KEYBOARD_RECORDER = `(() => {
  /** What had the focus on this way, in order. */
  let log = [];
  /** The way from the top. */
  let forward = [];
  let groups = [];
  let opener = null;
  const reached = new Set();
  const faults = new Set();

  const nameOf = (one) => one.tagName.toLowerCase() + (one.id ? "#" + one.id : "") +
    (one.className ? "." + String(one.className.baseVal ?? one.className).trim().replace(/ +/g, ".") : "") + " " +
    (one.getAttribute("aria-label") ?? one.textContent.trim().replace(/\\s+/g, " ").slice(0, 40));
  const isDesktop = (one) => one !== null && one.matches(".viewer-keys");
  const isSeen = (one) => {
    const { width, height } = one.getBoundingClientRect();
    return width > 0 && height > 0 && one.checkVisibility({ visibilityProperty: true });
  };
  const isUsable = (one) => isSeen(one) && !one.matches(":disabled") && one.closest("[inert]") === null;
  const hasRing = (style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
  const isMarked = (one) => {
    // A ring around its picture.
    if (isDesktop(one)) return getComputedStyle(one.closest(".stage"), "::after").boxShadow !== "none";
    // The browser marks the part of a time that has the focus, and not the whole field.
    if (one.type === "datetime-local") return true;
    const label = one.closest("label");
    return [one, ...(label === null ? [] : [label, ...label.children])]
      .some((part) => isSeen(part) && hasRing(getComputedStyle(part)));
  };
  const scope = () => document.querySelector("dialog:modal") ?? document;
  const opened = () => document.querySelector("dialog:modal") ?? document.querySelector(":popover-open");
  /** Up to where it comes round. */
  const once = (list) => {
    const end = list.findIndex((one, i) => list.indexOf(one) < i);
    return end < 0 ? list : list.slice(0, end);
  };
  /** From one stop to the next the eye goes on or down, unless another group begins. */
  const checkOrder = (one, next) => {
    if (!isSeen(one) || !isSeen(next) || one.parentElement.closest(${JSON.stringify(GROUPS)}) !== next.parentElement.closest(${JSON.stringify(GROUPS)})) return;
    const [a, b] = [one.getBoundingClientRect(), next.getBoundingClientRect()];
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    const isUp = across > 0 && b.bottom <= a.top + 1;
    const isBack = down > Math.min(a.height, b.height) / 2 && b.right <= a.left + 1;
    if (isUp || isBack) faults.add("out of order: " + nameOf(next) + " after " + nameOf(one));
  };

  document.addEventListener("focusin", ({ target }) => {
    // Where a script leads: no stop of its own.
    if (target.tabIndex < 0 && !target.matches(${JSON.stringify(CONTROLS)})) return;
    log.push(target);
    reached.add(target);
    if (!isMarked(target)) faults.add("not seen to have the focus: " + nameOf(target));
  }, true);
  document.addEventListener("beforetoggle", ({ newState }) => {
    if (newState === "open") opener = document.activeElement;
  }, true);

  globalThis.keyboardRound = {
    reset() {
      reached.clear();
      faults.clear();
    },
    /** Where the next Tab goes to the first of all. */
    fromTop() {
      const top = document.createElement("span");
      top.tabIndex = -1;
      (document.querySelector("dialog:modal") ?? document.body).prepend(top);
      top.focus();
      top.remove();
      log = [];
    },
    state() {
      const stops = once(log).length;
      return { stops, isRound: stops < log.length, isDesktop: isDesktop(document.activeElement) };
    },
    /** The way from the top is over. */
    turn() {
      forward = once(log).filter((one) => !isDesktop(one));
      log = [];
    },
    fromLast() {
      const last = forward.findLast((one) => one.isConnected);
      last?.focus();
      log = last === undefined ? [] : [last];
    },
    /** What came or went meanwhile is on one of both ways alone. */
    compare() {
      const back = once(log);
      const both = forward.filter((one) => one.isConnected && isUsable(one));
      for (const one of both) if (!back.includes(one)) faults.add("not reached by Shift+Tab: " + nameOf(one));
      const order = back.filter((one) => both.includes(one)).reverse();
      const same = both.filter((one) => back.includes(one));
      const other = same.findIndex((one, i) => one !== order[i]);
      if (other >= 0) faults.add("Shift+Tab goes another way: " + nameOf(order[other]));
      forward.forEach((one, i) => {
        if (i > 0 && one.isConnected && forward[i - 1].isConnected) checkOrder(forward[i - 1], one);
      });
    },
    groups() {
      const members = [...scope().querySelectorAll(${JSON.stringify(CONTROLS)})]
        .filter((one) => one.tabIndex < 0 && isUsable(one));
      const all = new Set(members.map((one) => one.closest(${JSON.stringify(ROVING)})).filter((one) => one !== null));
      groups = [...all].flatMap((group) => {
        const mine = members.filter((one) => one.closest(${JSON.stringify(ROVING)}) === group);
        const like = (one) => group.contains(one) && one.getAttribute("role") === mine[0].getAttribute("role") &&
          one.classList[0] === mine[0].classList[0];
        const stop = [...reached].find((one) => one.isConnected && one.tabIndex >= 0 && like(one));
        return stop === undefined ? [] : [{ stop, isRow: group.matches("[role=tablist], [role=toolbar]"), members: mine }];
      });
      return groups.map(({ isRow, members }) => ({ isRow, members: members.length }));
    },
    enter(index) {
      groups[index].stop.focus();
    },
    /** Of the groups: what is beside them changes with what the arrows choose. */
    passed() {
      return groups.flatMap(({ members }) => members).filter((one) => one.isConnected && !reached.has(one)).map(nameOf);
    },
    /** Of what can be pressed, but for what arrows are for. */
    missed(listenersOf) {
      const within = scope();
      const isPressed = (one) => {
        const listeners = listenersOf(one);
        return ["click", "mousedown", "pointerdown"].some((type) => (listeners[type] ?? []).length > 0);
      };
      const isReached = (one) => {
        if (reached.has(one) || groups.some(({ members }) => members.includes(one))) return true;
        // Arrows choose in a group of the browser's own.
        if (one.type === "radio") return [...reached].some(({ type, name }) => type === "radio" && name === one.name);
        if (one.matches(${JSON.stringify(CONTROLS)})) return false;
        // Part of a control, or around some.
        const around = one.parentElement?.closest(${JSON.stringify(CONTROLS)}) ?? null;
        if (around !== null) return reached.has(around);
        return [...reached].some((other) => one.contains(other)) || one.closest(${JSON.stringify(BY_OTHER_KEYS)}) !== null;
      };
      return [...within.querySelectorAll("*")]
        .filter((one) => (one.matches(${JSON.stringify(CONTROLS)}) || one.tabIndex >= 0 && one.hasAttribute("tabindex") || isPressed(one)) && isUsable(one))
        .filter((one) => !isReached(one))
        .map(nameOf);
    },
    faults() {
      return [...faults];
    },
    open() {
      const one = opened();
      const at = document.activeElement;
      const isBack = opener === null || !opener.isConnected || at === opener;
      return { isOpen: one !== null, isBack, name: one === null ? "" : nameOf(one) };
    },
    /** The focus into what is open, as it is after Tab. */
    inside() {
      const one = opened();
      if (one.contains(document.activeElement)) return;
      [...reached].find((other) => one.contains(other) && other.isConnected)?.focus();
    },
  };
})()`;
