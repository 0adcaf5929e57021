import t from "tap";
import { openBrowser } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { KeyboardRounds } from "./keyboard-round.ts";

// What goes around the pages of the app by keys finds what is wrong with a page.

const FINE = `<button>One</button> <label><input type="checkbox"> Two</label> <a href="#">Three</a>`;
const TABS = `<div role="tablist"><button role="tab">A</button><button role="tab" tabindex="-1">B</button></div>`;
const DIALOG = `<button onclick="this.nextElementSibling.showModal()">Open</button><dialog><button>Inside</button></dialog>`;

/** What is in a page, how it is brought to its state, and what is found. */
const PAGES: readonly {
  readonly name: string;
  readonly html: string;
  readonly script?: string;
  readonly found: readonly RegExp[];
}[] = [
  { name: "all well", html: FINE, found: [] },
  {
    name: "a press that no key does",
    html: `${FINE}<span id="pressed">Press</span>`,
    script: `pressed.addEventListener("click", () => {})`,
    found: [/^out of reach: span#pressed/],
  },
  {
    name: "a control that Tab passes by",
    html: `${FINE}<button tabindex="-1">Four</button>`,
    found: [/^out of reach: button Four/],
  },
  {
    name: "no ring",
    html: `${FINE}<button style="outline: none">Four</button>`,
    found: [/^not seen to have the focus: button Four/],
  },
  {
    name: "a trap",
    html: `${FINE}<input id="trap" aria-label="Trap"><button>Four</button>`,
    script: `trap.addEventListener("keydown", (event) => event.preventDefault())`,
    found: [
      /Shift\+Tab.*One/,
      /Shift\+Tab.*Two|Shift\+Tab.*input/,
      /Shift\+Tab.*Three/,
      /^out of reach: button Four/,
    ],
  },
  {
    name: "an order that is not the eye's",
    html: `<div style="display: flex; flex-direction: row-reverse">${FINE}</div>`,
    found: [/^out of order: input/, /^out of order: a Three/],
  },
  {
    name: "tabs without arrows",
    html: TABS,
    found: [/^out of reach: button B/],
  },
  {
    name: "tabs with arrows",
    html: TABS,
    script: `document.querySelector("[role=tablist]").addEventListener("keydown", ({ key }) => {
      if (key === "ArrowRight") document.querySelector("[tabindex]").focus();
    })`,
    found: [],
  },
  {
    name: "a dialog",
    html: DIALOG,
    script: `document.querySelector("button").focus(); document.querySelector("button").click()`,
    found: [],
  },
  {
    name: "a dialog that stays",
    html: DIALOG,
    script: `document.querySelector("button").click();
      document.querySelector("dialog").addEventListener("keydown", (event) => event.preventDefault())`,
    found: [/^Escape does not close: dialog/],
  },
  {
    name: "a dialog that loses the focus",
    html: DIALOG,
    script: `document.querySelector("button").focus(); document.querySelector("button").click();
      document.querySelector("dialog").addEventListener("close", () => document.activeElement.blur())`,
    found: [/^does not give the focus back: dialog/],
  },
];

t.test("what keys cannot do on a page is found", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const page = await (await openBrowser(t)).newPage();
  const rounds = await KeyboardRounds.on(page);
  for (const { name, html, script = "", found } of PAGES) {
    await page.goto(`data:text/html,${encodeURIComponent(`<!doctype html><title>${name}</title>${html}`)}`);
    await page.evaluate(script);
    const { faults } = await rounds.go();
    t.equal(faults.length, found.length, `${name}: ${faults.join("; ")}`);
    for (const [i, expected] of found.entries()) t.match(faults[i], expected, name);
  }
});
