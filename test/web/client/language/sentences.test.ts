import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import t from "tap";
import type { Action } from "../../../../src/desktop/control/action.ts";
import { detailsOf } from "../../../../src/desktop/control/action-details.ts";
import { besideWords, summaryOf } from "../../../../src/desktop/control/action-summary.ts";
import { scopeOf } from "../../../../src/desktop/control/approvals/grant-scope.ts";
import { MODES } from "../../../../src/desktop/control/policy.ts";
import { sentencesOf } from "../../../../src/desktop/words/sentences.ts";
import { AgentLooks } from "../../../../src/web/api/agents/agent-looks.ts";
import { reviverOf } from "../../../../src/web/client/language/reviver.ts";
import { FakeClock } from "../../../fake-clock.ts";

const GERMAN = fileURLToPath(new URL("../../../../src/desktop/words/german.json", import.meta.url));
const sentences: Record<string, string> = JSON.parse(readFileSync(GERMAN, "utf8"));
const say = sentencesOf(sentences);

const HELD = [0xffe3];
const PLACE = { x: 640, y: 300 };

/** Each kind of action, in all the forms that its words have. */
const ACTIONS: { readonly [Kind in Action["kind"]]: readonly Extract<Action, { kind: Kind }>[] } = {
  pointer: [
    { kind: "pointer", ...PLACE, buttons: 0 },
    { kind: "pointer", ...PLACE, buttons: 1 },
  ],
  key: [
    { kind: "key", keysym: 65, isDown: true, scancode: null },
    { kind: "key", keysym: 65, isDown: false, scancode: null },
  ],
  click: [
    { kind: "click", ...PLACE, button: "left", clicks: 1, holdKeysyms: [] },
    { kind: "click", x: null, y: null, button: "right", clicks: 2, holdKeysyms: HELD },
    { kind: "click", ...PLACE, button: "back", clicks: 3, holdKeysyms: [] },
  ],
  move: [{ kind: "move", ...PLACE }],
  button: [
    { kind: "button", ...PLACE, button: "middle", isDown: true },
    { kind: "button", x: null, y: null, button: "forward", isDown: false },
  ],
  drag: [2, 3, 4].map((points) => ({
    kind: "drag",
    path: Array.from({ length: points }, (_, i) => ({ x: i, y: i })),
    button: "left",
    holdKeysyms: [],
    durationMs: 300,
  })),
  scroll: [
    { kind: "scroll", ...PLACE, notchesX: 0, notchesY: 3, holdKeysyms: [] },
    { kind: "scroll", x: null, y: null, notchesX: -1, notchesY: -2, holdKeysyms: HELD },
  ],
  chords: [
    { kind: "chords", chords: [[1]], repeat: 1, holdMs: 0, names: ["Ctrl+A"] },
    { kind: "chords", chords: [[1]], repeat: 3, holdMs: 50, names: ["Tab", "Enter"] },
    { kind: "chords", chords: [[1]], repeat: 1, holdMs: 0, names: ["a"] },
  ],
  hold: [
    { kind: "hold", keysyms: [1], isDown: true, name: "Ctrl" },
    { kind: "hold", keysyms: [1], isDown: false, name: "Ctrl" },
  ],
  release: [{ kind: "release" }],
  type: [
    { kind: "type", text: "a", wordsPerMinute: 60, clearExisting: false },
    { kind: "type", text: "one {{secret:bank}}\ntwo", wordsPerMinute: null, clearExisting: true },
  ],
  read_clipboard: [{ kind: "read_clipboard" }],
  write_clipboard: [{ kind: "write_clipboard", text: "some" }],
  paste: [{ kind: "paste", text: "some", keysyms: [1], name: "Ctrl+V" }],
  resize: [{ kind: "resize", width: 800, height: 600, screens: [{ ...PLACE, width: 400, height: 300 }] }],
};

/** English words that no German sentence has. */
const ENGLISH =
  /\b(?:the|with|held|click|press|type|scroll|drag|here|down|up|left|right|characters?|times|and|where)\b/i;

t.test("what the server says of an action is said in German", async (t) => {
  for (const action of Object.values(ACTIONS).flat()) {
    const scope = scopeOf(action);
    const spoken = [
      summaryOf(action),
      `${summaryOf(action)}, changed by a person`,
      summaryOf(action) + besideWords({ keys: HELD, buttons: 4 }),
      ...(scope === null ? [] : [scope]),
    ];
    for (const english of spoken) {
      const german = say(english);
      t.not(german, english, english);
      t.notMatch(german, ENGLISH, `${english} => ${german}`);
      const numbers = /\d+/g;
      t.same(german.match(numbers)?.toSorted(), english.match(numbers)?.toSorted(), "with its numbers");
    }
    for (const { name } of detailsOf(action)) t.not(say(name), name, `${name}, of the details`);
  }
});

t.test("somebody else's words stay as they are", async (t) => {
  const quoted = 'button "Press the left key and type here" on shop.example';
  t.equal(say(`Click left at 1,2: ${quoted}`), `Klick links bei 1,2: ${quoted}`);
  t.equal(say(`Click ${quoted}`), `Klick auf ${quoted}`);
  t.equal(say("Something new that is said"), "Something new that is said", "as is what is not known");
});

t.test("what an agent looked at is told in German, once and several times", async (t) => {
  const looks = new AgentLooks(new FakeClock());
  const look = { desktopId: "d1", name: "a", token: "a", sinceMs: 0 };
  const told = [null, null, { x: 1, y: 2, width: 3, height: 4 }, { x: 1, y: 2, width: 3, height: 4 }].map(
    (area) => say(looks.looked({ ...look, area })?.summary ?? ""),
  );
  t.same(told, [
    ...["Auf den Bildschirm schauen", "2-mal auf den Bildschirm schauen"],
    ...["Auf 3x4 bei 1,2 schauen", "2-mal auf 3x4 bei 1,2 schauen"],
  ]);
});

t.test("only what the server words is read so", async (t) => {
  const heard: unknown = JSON.parse(
    JSON.stringify({
      summary: "Read the clipboard",
      intent: "Read the clipboard",
      scope: null,
      details: [
        { name: "Name", value: "left" },
        { name: "Takes", value: "300 ms" },
        { name: "Sends a password", value: "no" },
      ],
      track: [
        { type: "marker", label: "Mode assist", is_set: false },
        { type: "marker", label: "Mode assist", is_set: true },
      ],
    }),
    reviverOf(say),
  );
  t.same(heard, {
    summary: "Zwischenablage lesen",
    intent: "Read the clipboard",
    scope: null,
    details: [
      { name: "Name", value: "left" },
      { name: "Dauert", value: "300 ms" },
      { name: "Sendet ein Passwort", value: "nein" },
    ],
    track: [
      { type: "marker", label: "Modus Assistenz", is_set: false },
      { type: "marker", label: "Mode assist", is_set: true },
    ],
  });
});

t.test("every mode is one in German, in the marks that a desktop sets", (t) => {
  for (const mode of MODES) t.match(say(`Mode ${mode}`), /^Modus [A-ZÄÖÜ]/, mode);
  const named = Object.keys(sentences).flatMap((text) => text.match(/(?<=^Mode )\w+$/g) ?? []);
  t.same(named.toSorted(), MODES.toSorted(), "and none that there is not");
  t.end();
});
