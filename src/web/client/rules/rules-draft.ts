import type { RulesInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";

export type Rules = RulesInfo["rules"];
export type Area = Rules["areas"][number];
export type Word = Rules["pointer"];
export type ActionClass = keyof Omit<Rules, "areas">;

/** What the rules tell apart, in words, in the order of the page. */
export const ACTION_CLASS_LABELS = {
  pointer: { name: t`Mouse`, meaning: t`clicks, drags, moves, the wheel` },
  keys: { name: t`Keys`, meaning: t`single keys and chords such as Ctrl+S` },
  text: { name: t`Typing`, meaning: t`text, typed with the keyboard` },
  write_clipboard: { name: t`Set the clipboard`, meaning: t`pasting needs this and the keys` },
  read_clipboard: { name: t`Read the clipboard`, meaning: t`what was copied on the desktop` },
  resize: { name: t`Resize`, meaning: t`the desktop's own size` },
} as const satisfies Record<ActionClass, { readonly name: string; readonly meaning: string }>;

/** The server's list, in the order of the page: the compiler sees that each has its label, and that no other has one. */
export const ACTION_CLASSES: readonly ActionClass[] = Object.keys(ACTION_CLASS_LABELS).filter(isActionClass);

function isActionClass(name: string): name is ActionClass {
  return Object.hasOwn(ACTION_CLASS_LABELS, name);
}

export const WORD_NAMES = { allow: t`Allow`, ask: t`Ask`, deny: t`Deny` } as const satisfies Record<
  Word,
  string
>;

/** As many as the server keeps. */
export const MAX_AREAS = 32;

export function withWord(rules: Rules, actionClass: ActionClass, word: Word): Rules {
  return { ...rules, [actionClass]: word };
}

export function withArea(rules: Rules, area: Area): Rules {
  return rules.areas.length >= MAX_AREAS ? rules : { ...rules, areas: [...rules.areas, area] };
}

export function withChange(rules: Rules, index: number, change: Partial<Area>): Rules {
  const areas = rules.areas.map((area, i) => (i === index ? { ...area, ...change } : area));
  return { ...rules, areas };
}

export function withoutArea(rules: Rules, index: number): Rules {
  return { ...rules, areas: rules.areas.filter((_, i) => i !== index) };
}

/** One place up (-1) or down (1); where there is none it stays. */
export function withMove(rules: Rules, index: number, step: -1 | 1): Rules {
  const areas = [...rules.areas];
  const [area] = areas.splice(index, 1);
  const to = index + step;
  if (area === undefined || to < 0 || to > areas.length) return rules;
  areas.splice(to, 0, area);
  return { ...rules, areas };
}

export function areEqual(a: Rules, b: Rules): boolean {
  const flat = (rules: Rules): string =>
    JSON.stringify([
      ACTION_CLASSES.map((actionClass) => rules[actionClass]),
      rules.areas.map(({ x, y, width, height, verdict, name }) => [x, y, width, height, verdict, name ?? ""]),
    ]);
  return flat(a) === flat(b);
}

/** What people call an area: its name, else its number. */
export function areaName(area: Area, index: number): string {
  const name = area.name?.trim() ?? "";
  return name === "" ? t`Area ${index + 1}` : name;
}

/** For the configuration file: the rules outlive the server there. JSON is YAML too, and quotes the names. */
export function configOf(rules: Rules): string {
  const words = ACTION_CLASSES.map((actionClass) => `  ${actionClass}: ${rules[actionClass]}`);
  const areas = rules.areas.map((area) => `    - ${JSON.stringify(area)}`);
  const list = areas.length === 0 ? [] : ["  areas:", ...areas];
  return `${["mode: custom", "custom_rules:", ...words, ...list].join("\n")}\n`;
}
