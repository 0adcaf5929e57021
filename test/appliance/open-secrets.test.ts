import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { openSecrets, secretPorts } from "../../src/appliance/open-secrets.ts";
import { SecretBox } from "../../src/auth/secret-box.ts";
import { readRules, SecretStore } from "../../src/auth/secrets/secret-store.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { printable } from "../../src/config/printable.ts";
import type { Actor } from "../../src/desktop/control/action.ts";
import type { SecretPorts } from "../../src/desktop/control/secret-typing.ts";
import { holdsPoint, type Rect, rect } from "../../src/framebuffer/rect.ts";
import { findText } from "../../src/vision/text/find-text.ts";
import type { TextLine } from "../../src/vision/text/text-line.ts";
import { House, typing } from "../desktop/house.ts";
import { FakeClock } from "../fake-clock.ts";
import { opened } from "../support/opened.ts";

const ANN: Actor = { kind: "agent", id: "0123456789abcdef", name: "ann" };
const VALUE = "s3same";
/** The address bar of a browser of 200x100 pixels. */
const BAR = rect(20, 0, 180, 12);
const CELL = { width: 4, height: 10 } as const;

/** A line of a screen in cells of 4x10 pixels. */
function line(x: number, y: number, text: string): TextLine {
  let at = x;
  const words = text.split(" ").map((word) => {
    const place = { text: word, rect: rect(at, y, word.length * CELL.width, CELL.height), confidence: 95 };
    at += (word.length + 1) * CELL.width;
    return place;
  });
  return { text, words, confidence: 95, rect: rect(x, y, text.length * CELL.width, CELL.height) };
}

/** What stands of a line in an area, as src/vision/text/text-index.ts gives it: words whose middle does. */
function within({ words, ...whole }: TextLine, area: Rect | null): TextLine[] {
  const left = words.filter(
    ({ rect: { x, y, width, height } }) =>
      area === null || holdsPoint(area, x + (width >> 1), y + (height >> 1)),
  );
  return left.length === 0 ? [] : [{ ...whole, words: left, text: left.map(({ text }) => text).join(" ") }];
}

/** A house whose store has `bank`, bound to its address in the address bar, before a screen that is told in lines. */
async function openHouse(dir: string, lines: readonly TextLine[], seenText = "https://bank.example/") {
  const store = await SecretStore.open(dir, await SecretBox.open(dir), new FakeClock());
  const rules = readRules({
    ...{ desktops: ["d1"], agents: ["ann"] },
    seen: { text: seenText, region: { ...BAR } },
  });
  await store.set("bank", { kind: "secret", text: VALUE, rules });
  let ports: SecretPorts | null = null;
  const house = House.live(
    "autopilot",
    {},
    {
      secrets: {
        find: (...asked) => (ports ?? missing()).find(...asked),
        locate: (...asked) => (ports ?? missing()).locate(...asked),
      },
    },
  );
  const texts = {
    find: async (_desktop: unknown, query: Parameters<typeof findText>[1], area: Rect | null) => ({
      generation: house.desktop.generation,
      matches: findText(
        lines.flatMap((one) => within(one, area)),
        query,
      ),
    }),
  };
  ports = secretPorts(store, texts, () => ({ get: () => house.desktop }));
  return house;
}

function missing(): never {
  throw new Error("asked too early");
}

/** Reads files on the way, which no fake clock waits for. */
async function typed(house: House): Promise<string> {
  let outcome: string | null = null;
  house.desktop.perform(typing("{{secret:bank}}"), ANN).then(
    () => {
      outcome = "typed";
    },
    (error: { code?: string }) => {
      outcome = error.code ?? String(error);
    },
  );
  while (outcome === null) await house.clock.live(20);
  const keys = house.link.said.flatMap((said) => /^down (.*)/.exec(said)?.[1] ?? []);
  const text = keys.map((hex) => String.fromCodePoint(Number.parseInt(hex, 16))).join("");
  return outcome === "typed" ? text : `${outcome}${text}`;
}

t.test("the page itself gets the secret", async (t) => {
  for (const [nth, address] of [
    "https://bank.example/",
    "https://bank.example/login?next=%2F",
    "x https://bank.example/ x",
  ].entries()) {
    const house = await openHouse(t.testdir({ [`${nth}`]: {} }), [
      line(24, 1, address),
      line(0, 40, "Password:"),
    ]);
    t.equal(await typed(house), VALUE, address);
  }
});

/** What a browser shows of pages that are not the bank's. */
const LOOK_ALIKES: readonly (readonly [string, readonly TextLine[]])[] = [
  ["nothing to be read", []],
  ["another address", [line(24, 1, "https://evil.example/")]],
  ["the domain continued", [line(24, 1, "https://bank.example.evil.net/")]],
  ["a prefix to the domain", [line(24, 1, "https://my-bank.example/")]],
  ["a subdomain in front", [line(24, 1, "https://login.bank.example/")]],
  ["a user part", [line(24, 1, "https://bank.example@evil.net/")]],
  ["the address as a path", [line(24, 1, "https://evil.net/https://bank.example/")]],
  ["the address as a query", [line(24, 1, "https://evil.net/?https://bank.example/")]],
  ["another port", [line(24, 1, "https://bank.example:8443/")]],
  ["without encryption", [line(24, 1, "http://bank.example/")]],
  ["a digit for a letter", [line(24, 1, "https://b4nk.example/")]],
  ["two letters for one", [line(24, 1, "https://bannk.example/")]],
  ["a letter of another script", [line(24, 1, "https://b\u0430nk.example/")]],
  ["another case", [line(24, 1, "https://BANK.example/")]],
  ["a sign for another", [line(24, 1, "https://bank-example/")]],
  ["another top-level domain", [line(24, 1, "https://bank.example.com/")]],
  ["split by a blank", [line(24, 1, "https://bank. example/")]],
  ["split over two lines", [line(24, 0, "https://bank."), line(24, 8, "example/")]],
  [
    "written by the page, below the bar",
    [line(24, 1, "https://evil.net/"), line(24, 30, "https://bank.example/")],
  ],
  [
    "written by the page, beside the bar",
    [line(24, 1, "https://evil.net/"), line(0, 14, "https://bank.example/")],
  ],
  [
    "in a picture of a browser in the page",
    [line(24, 1, "https://evil.net/"), line(44, 60, "https://bank.example/")],
  ],
  ["in the title alone", [line(24, 1, "evil.net"), line(24, 90, "https://bank.example/ - Browser")]],
];

t.test("no look-alike page gets it, however it writes the address", async (t) => {
  t.ok(LOOK_ALIKES.length >= 20);
  for (const [nth, [what, lines]] of LOOK_ALIKES.entries()) {
    const dir = t.testdir({ [`${nth}`]: {} });
    t.equal(await typed(await openHouse(join(dir, `${nth}`), lines)), "secret_unseen", what);
  }
});

t.test("the configuration's secrets are read from the files that it names", async (t) => {
  const dir = t.testdir({ data: {}, bank: `${VALUE}\n`, seed: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" });
  const read = (secrets: string) => {
    const file = join(dir, "config.yaml");
    writeFileSync(file, `data_dir: ${join(dir, "data")}\nsecrets:\n${secrets}`);
    const sources = { env: {}, flags: {}, connect: [], isDemo: false, isStdio: false };
    return loadConfig({ ...sources, file });
  };
  const bank = `  - name: bank\n    value_file: ${join(dir, "bank")}\n    desktops: [d1]\n    agents: [ann]\n`;
  const code = `  - { name: code, totp_file: ${join(dir, "seed")}, desktops: [d1], agents: ["*"] }\n`;
  const config = read(
    `${bank}    seen: { text: Bank, region: { x: 1, y: 2, width: 3, height: 4 } }\n${code}`,
  );
  t.notMatch(JSON.stringify(printable(config)), VALUE);
  const store = await openSecrets(config, await SecretBox.open(join(dir, "data")), new FakeClock());
  const found = await store.find({ kind: "secret", name: "bank" }, ANN, "d1");
  t.equal(await opened(found), VALUE);
  t.same(found?.seen, { text: "Bank", region: { x: 1, y: 2, width: 3, height: 4 } });
  t.match((await opened(await store.find({ kind: "totp", name: "code" }, ANN, "d1"))) ?? "", /^\d{6}$/);
  for (const [secrets, words] of [
    ["  - { name: bank }\n", /expected value_file or totp_file/],
    [`${bank}    totp_file: x\n`, /expected value_file or totp_file/],
    [bank + bank, /expected each name once/],
    ["  - { name: a b, value_file: x }\n", /secrets.0.name .*expected 1 to 64 letters/],
    ["  - { name: bank, value: x }\n", /secrets.0.value .*there is no such key/],
  ] as const) {
    t.throws(() => read(secrets), { name: "ConfigError", message: words }, secrets);
  }
});

t.test("signs of a text mean themselves, and no letter of it any other", async (t) => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["a.c", "abc", false],
    ["a.c", "a.c", true],
    ["Pay (2)", "Pay (2)", true],
    ["Pay (2)", "Pay (2)3", false],
    ["[x]|^$\\*+?{1}", "[x]|^$\\*+?{1}", true],
    [" two  words ", "two words", true],
    ["two words", "twowords", false],
    ["Sign-in", "Sign-in", true],
  ];
  for (const [nth, [wanted, shown, isThere]] of cases.entries()) {
    const dir = t.testdir({ [`${nth}`]: {} });
    const house = await openHouse(join(dir, `${nth}`), [line(24, 1, shown)], wanted);
    t.equal(await typed(house), isThere ? VALUE : "secret_unseen", `${wanted} in ${shown}`);
  }
});
