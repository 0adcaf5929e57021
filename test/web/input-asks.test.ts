import t from "tap";
import type { Actor } from "../../src/desktop/control/action.ts";
import type { InputAsk } from "../../src/web/api/agent-api.ts";
import { InputAsks } from "../../src/web/api/input-asks.ts";
import { AGENT } from "../desktop/house.ts";
import { FakeClock } from "../fake-clock.ts";
import { FakeDesktops } from "./fake-desktops.ts";

const person = (id: string): Actor => ({ kind: "human", id, name: id });
const [ANN, BOB, EVE] = [person("Ann"), person("Bob"), person("Eve")];

function open() {
  const clock = new FakeClock();
  const desktop = new FakeDesktops().open("d1");
  const told: string[] = [];
  const tell = (to: string, { what, from }: InputAsk): void => void told.push(`${to}: ${what} ${from.name}`);
  return { clock, desktop, told, asks: new InputAsks(clock, tell) };
}

t.test("who holds the input is asked once, and gives it to one of those who ask", async (t) => {
  const { desktop, told, asks } = open();
  desktop.setHolding(true, ANN);
  asks.ask(desktop, BOB);
  asks.ask(desktop, BOB);
  asks.ask(desktop, EVE);
  t.same(told.splice(0), ["Ann: asked Bob", "Ann: asked Eve"]);
  t.throws(() => asks.answer(desktop, { to: "Bob", give: true }, EVE), { code: "not_found" });
  t.throws(() => asks.answer(desktop, { to: "nobody", give: true }, ANN), { code: "not_found" });
  asks.answer(desktop, { to: "Bob", give: true }, ANN);
  t.match(desktop.holder, { actor: BOB });
  t.same(told.splice(0), ["Eve: kept Bob"], "the others hear that it is gone");
  t.throws(() => asks.answer(desktop, { to: "Eve", give: true }, BOB), { code: "not_found" });
});

t.test("kept it may be asked for again, and after a minute the question is over", async (t) => {
  const { clock, desktop, told, asks } = open();
  t.throws(() => asks.ask(desktop, BOB), { code: "not_found" }, "nobody holds it");
  desktop.holder = { actor: AGENT, sinceMs: 0, untilMs: null, isDeclared: false };
  t.throws(() => asks.ask(desktop, BOB), { code: "not_found" }, "from an agent it is taken");
  desktop.setHolding(true, ANN);
  t.throws(() => asks.ask(desktop, ANN), { code: "not_found" });
  asks.ask(desktop, BOB);
  asks.answer(desktop, { to: "Bob", give: false }, ANN);
  t.same(told.splice(0), ["Ann: asked Bob", "Bob: kept Ann"]);
  t.match(desktop.holder, { actor: ANN });
  asks.ask(desktop, BOB);
  clock.advance(60_001);
  t.throws(() => asks.answer(desktop, { to: "Bob", give: true }, ANN), { code: "not_found" });
  asks.ask(desktop, BOB);
  desktop.setHolding(true, EVE);
  t.throws(() => asks.answer(desktop, { to: "Bob", give: true }, ANN), { code: "not_found" }, "she lost it");
});
