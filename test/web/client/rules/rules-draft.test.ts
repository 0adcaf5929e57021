import t from "tap";
import { parse } from "yaml";
import { customRulesSchema } from "../../../../src/desktop/control/custom-rules-fields.ts";
import {
  type Area,
  areaName,
  areEqual,
  configOf,
  MAX_AREAS,
  type Rules,
  withArea,
  withChange,
  withMove,
  withoutArea,
  withWord,
} from "../../../../src/web/client/rules/rules-draft.ts";

const EMPTY: Rules = customRulesSchema.parse({});
const area = (x: number, name?: string): Area => ({
  ...{ x, y: 1, width: 10, height: 20, verdict: "deny" },
  ...(name === undefined ? {} : { name }),
});
const places = ({ areas }: Rules): number[] => areas.map(({ x }) => x);

t.test("areas are added, changed, moved and taken away, each in a new draft", async (t) => {
  const one = withArea(EMPTY, area(1));
  const three = withArea(withArea(one, area(2)), area(3));
  t.same(places(EMPTY), [], "the draft before stays as it was");
  t.same(places(withMove(three, 0, 1)), [2, 1, 3]);
  t.same(places(withMove(three, 2, -1)), [1, 3, 2]);
  t.equal(withMove(three, 0, -1), three, "there is nothing above the first");
  t.equal(withMove(three, 2, 1), three);
  t.same(places(withoutArea(three, 1)), [1, 3]);
  t.match(withChange(three, 1, { verdict: "ask", name: "Trash" }).areas[1], {
    x: 2,
    verdict: "ask",
    name: "Trash",
  });
});

t.test("no draft grows beyond what the server keeps", async (t) => {
  let rules = EMPTY;
  for (let i = 0; i < MAX_AREAS + 5; i++) rules = withArea(rules, area(i));
  t.equal(rules.areas.length, MAX_AREAS);
  t.ok(customRulesSchema.safeParse(rules).success);
});

t.test("drafts that mean the same are equal", async (t) => {
  t.ok(areEqual(withArea(EMPTY, area(1)), withArea(EMPTY, area(1, ""))), "an empty name is none");
  t.notOk(areEqual(withArea(EMPTY, area(1)), withArea(EMPTY, area(2))));
  t.notOk(areEqual(EMPTY, withWord(EMPTY, "keys", "allow")));
  t.equal(areaName(area(1), 0), "Area 1");
  t.equal(areaName(area(1, " Trash "), 0), "Trash");
});

t.test("what is copied for the configuration file reads back as the same rules", async (t) => {
  const rules = withArea(withWord(EMPTY, "pointer", "allow"), area(5, 'a "name": #1\n- x'));
  const read: unknown = parse(configOf(rules));
  t.match(read, { mode: "custom" });
  t.same(customRulesSchema.parse(Object(read)["custom_rules"]), rules);
  t.same(customRulesSchema.parse(Object(parse(configOf(EMPTY)))["custom_rules"]), EMPTY);
});
