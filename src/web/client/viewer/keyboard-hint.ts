import { inform } from "../shell/notices.ts";

const KEY = "overlay-companion.knows-escape-chord";

function isKnown(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

let isSaid = false;

/** The first time a desktop gets the keyboard, says how to get it back. */
export function explainKeyboardOnce(): void {
  if (isSaid || isKnown()) return;
  isSaid = true;
  inform("All keys go to the desktop now. Ctrl+Alt+Shift gives you the keyboard back.");
  try {
    localStorage.setItem(KEY, "yes");
  } catch {
    // A browser that keeps nothing for us is told again next time.
    return;
  }
}
