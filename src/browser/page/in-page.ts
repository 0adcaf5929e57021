/**
 * What runs in a page, in our own isolated world, with an element as `this`: its own script can neither see nor change
 * what these call. Written as text, for it is sent.
 */

/** What an element is, in words for people: {role, name, host, isEditable, isSelect}. Text of the page, so only shown. */
export const DESCRIBE = `function(){
  const cut = (text) => (globalThis.ocMasks?.scrub(String(text ?? "").replace(/\\s+/g, " ")) ?? String(text ?? "").replace(/\\s+/g, " ")).trim().slice(0, 80);
  const of = this.nodeType === 1 ? this : this.parentElement;
  if (of === null || !of.isConnected) return null;
  const tag = of.localName;
  const type = (of.getAttribute("type") ?? "").toLowerCase();
  const roles = {a: "link", button: "button", select: "list", textarea: "text field", img: "image", summary: "button", option: "option"};
  const inputs = {checkbox: "checkbox", radio: "radio button", submit: "button", button: "button", reset: "button", image: "button",
    file: "file field", range: "slider", password: "password field", color: "colour field"};
  const role = of.getAttribute("role") || (tag === "input" ? inputs[type] ?? "text field" : roles[tag] ?? tag);
  const byId = (of.getAttribute("aria-labelledby") ?? "").split(/\\s+/).filter(Boolean)
    .map((id) => of.getRootNode().getElementById?.(id)?.textContent ?? "").join(" ");
  const labels = [...(of.labels ?? [])].map((label) => label.textContent).join(" ");
  const own = tag === "input" && inputs[type] === "button" ? of.value : "";
  const inner = tag === "input" || tag === "select" || tag === "textarea" ? "" : of.textContent;
  const name = [byId, of.getAttribute("aria-label"), labels, own, of.getAttribute("alt"), inner,
    of.getAttribute("placeholder"), of.getAttribute("title")].map(cut).find((text) => text !== "") ?? "";
  return {role: cut(role), name, host: of.ownerDocument.location.host,
    isEditable: of.isContentEditable || tag === "textarea" || (tag === "input" && !(type in inputs && type !== "password")),
    isSelect: tag === "select"};
}`;

/** Whether what a click hits is the element, in it, or its label; else what covers it, in words. */
export const COVERED_BY = `function(hit){
  for (let node = hit; node; node = node.parentNode || node.host) if (node === this) return null;
  if (this.localName === "label" && this.control === hit) return null;
  if ([...(this.labels ?? [])].some((label) => label.contains(hit))) return null;
  const of = hit.nodeType === 1 ? hit : hit.parentElement;
  if (!of) return "something";
  const said = (of.textContent ?? "").replace(/\\s+/g, " ").trim();
  const text = (globalThis.ocMasks?.scrub(said) ?? said).slice(0, 40);
  return "<" + of.localName + (of.id ? " id=" + of.id.slice(0, 40) : "") + ">" + (text ? " " + text : "");
}`;

/**
 * Where each of the arguments is in view, and what covers it there: [left, top, right, bottom, cover], CSS pixels of the
 * frame, `cover` null where a press hits it; null for one that is not in view.
 */
export const IN_VIEW = `function(...elements){
  const coverOf = ${COVERED_BY};
  return elements.map((element) => {
    if (!element.isConnected || !element.checkVisibility?.({visibilityProperty: true})) return null;
    const rect = element.getBoundingClientRect();
    const [left, top] = [Math.max(0, rect.left), Math.max(0, rect.top)];
    const [right, bottom] = [Math.min(innerWidth, rect.right), Math.min(innerHeight, rect.bottom)];
    if (right - left < 1 || bottom - top < 1) return null;
    const hit = element.getRootNode().elementFromPoint?.((left + right) / 2, (top + bottom) / 2);
    return [left, top, right, bottom, hit ? coverOf.call(element, hit) : "something"];
  });
}`;

/** A press that nobody asks about is watched over for so long, ms: a person clicks here too. */
const GUARDED_MS = 10_000;
/** A pointer that was moved to an element is seen there within so long, ms. */
const HOVER_WITHIN_MS = 400;
/** A press from outside the browser is seen within so long, ms. */
const PRESS_WITHIN_MS = 1500;
/** What a press opens (a list, a menu) may keep its release: a click that has not come by then, ms, does not come. */
const CLICK_WITHIN_MS = 150;

/**
 * Watches over the next press in the element's window: one that would not hit it is taken out before the page sees it, and
 * so is a click that ends elsewhere. `clicks`: how many belong to it. What it saw is read by HOVERED, HELD and PRESSED.
 * A notch of the wheel to the side only says where it met the page. Gives whether such a notch keeps the pointer for the
 * browser: where X is below it, and no window manager waits for a press to move the focus here, which it would not see.
 */
export const guard = (clicks: number): string => `function(){
  globalThis.ocGuard?.end();
  const coverOf = ${COVERED_BY};
  const window = this.ownerDocument.defaultView;
  const told = {missed: null, isPressed: false, isClicked: false};
  let at = null;
  let wheelOver;
  const waiting = new Set();
  const until = (isSo, mostMs) => new Promise((resolve) => {
    const look = () => { if (isSo()) end(); };
    const end = () => { clearTimeout(timer); waiting.delete(look); resolve(); };
    const timer = setTimeout(end, mostMs);
    waiting.add(look);
    look();
  });
  const hitAt = (x, y) => this.getRootNode().elementFromPoint?.(x, y);
  const see = (event) => {
    if (!event.isTrusted) return;
    if (event.type === "mousemove") at = [event.clientX, event.clientY];
    else if (event.type === "mouseout" && event.relatedTarget === null) at = null;
    else if (event.type === "wheel") seeWheel(event);
    else check(event);
    for (const look of [...waiting]) look();
  };
  const seeWheel = (event) => {
    if (event.deltaX === 0 || event.deltaY !== 0) return;
    wheelOver = coverOf.call(this, hitAt(event.clientX, event.clientY) ?? event.target);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const check = (event) => {
    if (event.type === "pointerdown" || event.type === "mousedown") {
      told.isPressed = true;
      told.missed = coverOf.call(this, hitAt(event.clientX, event.clientY) ?? event.target);
    } else if (event.type === "click" && told.missed === null && this.isConnected) {
      const path = event.composedPath();
      const hosts = [];
      for (let root = this.getRootNode(); root.host; root = root.host.getRootNode()) hosts.push(root.host);
      if (![this, ...hosts, ...(this.labels ?? []), this.control].some((one) => path.includes(one)))
        told.missed = coverOf.call(this, event.target);
    }
    if (/click|menu/.test(event.type) && event.detail >= ${clicks}) {
      told.isClicked = true;
      setTimeout(end, 0);
    }
    if (told.missed === null) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const types = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu",
    "mousemove", "mouseout", "wheel"];
  for (const type of types) window.addEventListener(type, see, {capture: true, passive: false});
  const end = () => {
    clearTimeout(timer);
    for (const type of types) window.removeEventListener(type, see, {capture: true});
  };
  const timer = setTimeout(end, ${GUARDED_MS});
  const hovered = async () => {
    await until(() => at !== null, ${HOVER_WITHIN_MS});
    if (at === null) return "nothing of the page";
    const hit = hitAt(...at);
    return hit ? coverOf.call(this, hit) : "something";
  };
  const held = async () => {
    await until(() => wheelOver !== undefined || at === null, ${HOVER_WITHIN_MS});
    if (wheelOver !== undefined) return wheelOver;
    return at === null ? "nothing of the page" : false;
  };
  const pressed = async () => {
    await until(() => told.isPressed || told.missed !== null, ${PRESS_WITHIN_MS});
    if (told.isPressed) await until(() => told.isClicked || told.missed !== null, ${CLICK_WITHIN_MS});
  };
  globalThis.ocGuard = {told, end, hovered, held, pressed};
  return this.ownerDocument.hasFocus() && /Linux/.test(navigator.platform);
}`;

/** What is under the pointer instead of the guarded element, in words; null where that is. Waits until a pointer is there. */
export const HOVERED = `function(){
  return globalThis.ocGuard?.hovered() ?? "nothing of the page";
}`;

/** As HOVERED, where the wheel went down; false where the page saw nothing of that, and the pointer is still over it. */
export const HELD = `function(){
  return globalThis.ocGuard?.held() ?? "nothing of the page";
}`;

/** Resolves when the guarded press was seen, and what it came to; or when it has not been for long. */
export const AWAIT_PRESS = `function(){
  return globalThis.ocGuard?.pressed();
}`;

/** Ends the watch of `guard`; gives what was hit instead of the element, in words or null, and whether a press was seen. */
export const PRESSED = `function(){
  const {told, end} = globalThis.ocGuard ?? {told: {missed: null, isPressed: false}, end() {}};
  end();
  delete globalThis.ocGuard;
  return {missed: told.missed, isPressed: told.isPressed};
}`;

/** Whether keys go to the element, or to something in it. */
export const HAS_FOCUS = `function(){
  let active = this.ownerDocument.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  for (let node = active; node; node = node.parentNode || node.host) if (node === this) return true;
  const root = this.getRootNode();
  return root.activeElement === this;
}`;

/** The elements of a selector, in open shadow roots too; the second is only looked for to know that there is one. */
export const SELECT = `function(selector){
  const found = [];
  const look = (root) => {
    for (const element of root.querySelectorAll(selector)) if (found.length < 2 && !found.includes(element)) found.push(element);
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot && found.length < 2) look(element.shadowRoot);
  };
  look(document);
  return found;
}`;

/** Resolves when nothing has changed for `quiet` milliseconds, or after `most`. */
export const QUIET = `(quiet, most) => new Promise((resolve) => {
  let timer = setTimeout(resolve, quiet);
  const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(resolve, quiet); });
  observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
  setTimeout(resolve, most);
}).then(() => document.readyState)`;
