import t from "tap";
import { faultOfJson } from "../../../src/web/http/json-body.ts";
import { collidingNames } from "../../support/dear-bodies.ts";

function fault(value: unknown): string | null {
  return faultOfJson(typeof value === "string" ? value : JSON.stringify(value))?.message ?? null;
}

t.test("large calls that a tool may have are read", async (t) => {
  const points = Array.from({ length: 5000 }, (_, i) => ({ x: i, y: i + 0.5 }));
  t.equal(fault({ annotations: [{ type: "line", points }] }), null);
  const fields = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`field_${i}`, i]));
  t.equal(fault({ overlays: Array.from({ length: 500 }, () => fields) }), null);
  t.equal(fault({ text: '"a":"b",'.repeat(50_000) }), null, "what is in a text is no name");
});

t.test("more names than any call has are refused, whatever they are", async (t) => {
  const each = (names: readonly string[]): string => `{${names.map((name) => `"${name}":0`).join()}}`;
  const numbered = Array.from({ length: 2000 }, (_, i) => String(i));
  t.match(fault(each(numbered)), /more than 1000 different names/);
  t.match(fault(each(collidingNames(2000))), /more than 1000 different names/);
  t.match(fault(each(Array.from({ length: 2000 }, (_, i) => `\\"${i}`))), /more than 1000 different names/);
  t.equal(fault(each(numbered.slice(0, 1000))), null);
  t.match(fault(`[${'{"x":1,"y":2},'.repeat(8001)}0]`), /more than 16000 names/);
  t.match(fault(`[${"0,".repeat(33_000)}0]`), /more than 32000 values/);
  t.match(fault({ ["x".repeat(20_000)]: 0 }), /longer than 1000 characters/);
  t.match(fault(`{"${"x".repeat(900)}"${":".repeat(16_001)}`), /more than 16000 names/);
  t.match(fault(`[${"[[[[]]]],".repeat(4001)}0]`), /more than 16000 arrays and objects/);
  t.match(fault(`[${"{},".repeat(16_001)}0]`), /more than 16000 arrays and objects/);
  t.equal(fault(`[${"[],".repeat(15_998)}0]`), null);
  t.match(fault(`${"[".repeat(65)}${"]".repeat(65)}`), /deeper than 64/);
});
