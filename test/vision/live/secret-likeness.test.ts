import fc from "fast-check";
import t from "tap";
import { spansLike } from "../../../src/vision/live/secret-likeness.ts";

const SECRET = "Zq7!vX-canary";

/** What of a line is found, piece by piece that hang together. */
function foundIn(line: string, secret = SECRET): string {
  const isFound = new Set(
    spansLike(line, secret).flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i)),
  );
  return Array.from(line, (letter, at) => (isFound.has(at) ? letter : "·")).join("");
}

t.test("a secret is found as it is, and as readers misread it", (t) => {
  t.equal(foundIn(`Password: ${SECRET} ok`), `··········${SECRET}···`);
  for (const read of ["2q7!vX-canary", "Zq7lvX-canary", "ZQ7!VX-CANARY", "Zq 7!vX- canary"]) {
    t.ok(foundIn(`x ${read} y`).includes(read), read);
  }
  for (const read of ["Zq7!vX-cenary", "Zq7!vXcanary", "Zq7!vX--canary", "Zq1!vX-canery"]) {
    t.notMatch(foundIn(`say ${read}`).slice(4), "·", read);
  }
  t.equal(
    foundIn(`${SECRET} and ${SECRET}`).replaceAll("·", " ").trim().split(/\s+/).length,
    2,
    "each time it is there",
  );
  t.end();
});

t.test(
  "parts of it are not found, which would tell whoever writes on the screen that they are right",
  (t) => {
    for (let length = 0; length <= 7; length++) {
      t.match(foundIn(`try ${SECRET.slice(0, length)}`), /^·*$/);
      t.match(foundIn(`try ${SECRET.slice(SECRET.length - length)}`), /^·*$/);
    }
    t.match(foundIn("a canary sings, and nothing else is here"), /^·*$/);
    t.same(spansLike("", SECRET), []);
    t.end();
  },
);

t.test("it is found in any line that has it, with a letter that is wrong", (t) => {
  const word = fc
    .string({ minLength: 8, maxLength: 40, unit: "grapheme-ascii" })
    .filter((one) => !/\s/.test(one));
  const other = fc.string({ maxLength: 30, unit: "grapheme-ascii" });
  fc.assert(
    fc.property(word, other, other, fc.nat(), (secret, left, right, at) => {
      const wrong = at % secret.length;
      const read = `${secret.slice(0, wrong)}~${secret.slice(wrong + 1)}`;
      return [secret, read].every((one) =>
        spansLike(`${left} ${one} ${right}`, secret).some(
          ({ from, to }) => from < left.length + 1 + one.length && to > left.length + 1,
        ),
      );
    }),
  );
  t.end();
});
