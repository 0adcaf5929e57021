/**
 * What runs in a page, in our own isolated world, with an element as `this`: its own script can neither see nor change
 * what these call. Written as text, for it is sent.
 */

/** What an element is, in words for people: {role, name, host, isEditable, isSelect}. Text of the page, so only shown. */
export const DESCRIBE = `function(){
  const cut = (text) => String(text ?? "").replace(/\\s+/g, " ").trim().slice(0, 80);
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
  const text = (of.textContent ?? "").replace(/\\s+/g, " ").trim().slice(0, 40);
  return "<" + of.localName + (of.id ? " id=" + of.id.slice(0, 40) : "") + ">" + (text ? " " + text : "");
}`;

/** A press that nobody asks about is watched over for so long, ms: a person clicks here too. */
const GUARDED_MS = 10_000;

/**
 * Watches over the next press in the element's window: one that would not hit it is taken out before the page sees it, and
 * so is a click that ends elsewhere. `clicks`: how many belong to it. What it saw is read by PRESSED.
 */
export const guard = (clicks: number): string => `function(){
  globalThis.ocGuard?.end();
  const coverOf = ${COVERED_BY};
  const window = this.ownerDocument.defaultView;
  const told = {missed: null};
  const check = (event) => {
    if (!event.isTrusted) return;
    if (event.type === "pointerdown" || event.type === "mousedown") {
      const hit = this.getRootNode().elementFromPoint?.(event.clientX, event.clientY) ?? event.target;
      told.missed = coverOf.call(this, hit);
    } else if (event.type === "click" && told.missed === null && this.isConnected) {
      const path = event.composedPath();
      const hosts = [];
      for (let root = this.getRootNode(); root.host; root = root.host.getRootNode()) hosts.push(root.host);
      if (![this, ...hosts, ...(this.labels ?? []), this.control].some((one) => path.includes(one)))
        told.missed = coverOf.call(this, event.target);
    }
    if (/click|menu/.test(event.type) && event.detail >= ${clicks}) setTimeout(end, 0);
    if (told.missed === null) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const types = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"];
  for (const type of types) window.addEventListener(type, check, {capture: true, passive: false});
  const end = () => {
    clearTimeout(timer);
    for (const type of types) window.removeEventListener(type, check, {capture: true});
  };
  const timer = setTimeout(end, ${GUARDED_MS});
  globalThis.ocGuard = {told, end};
}`;

/** Ends the watch of `guard`; gives what was hit instead of the element, in words, or null. */
export const PRESSED = `function(){
  const {told, end} = globalThis.ocGuard ?? {told: {missed: null}, end() {}};
  end();
  delete globalThis.ocGuard;
  return told.missed;
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
