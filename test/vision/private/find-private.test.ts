import fc from "fast-check";
import t from "tap";
import { PRIVATE_KINDS, type PrivateKind } from "../../../src/desktop/masks/private-kinds.ts";
import { boxOf, privateIn } from "../../../src/vision/private/find-private.ts";
import { hasIbanCheck, hasLuhn } from "../../../src/vision/private/numbers.ts";

/** What is found, as `kind:text`. */
const found = (text: string, kinds: readonly PrivateKind[] = PRIVATE_KINDS): string[] =>
  privateIn(text, kinds).map(({ kind, from, to }) => `${kind}:${text.slice(from, to)}`);

const GITHUB = `ghp_${"aB3dE6gH9".repeat(4)}`;
const TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N";

/** Words that private text stands among, which are none of it. */
const AROUND = ["", "Name: ", "see (", "the customer "];
const AFTER = ["", ".", ", then", ") and so"];

const EXAMPLES: readonly (readonly [PrivateKind, readonly string[]])[] = [
  [
    "email",
    [
      "alice@example.com",
      "a.b+c@mail.example.co.uk",
      "jörg@müller.de",
      "bob@example .com",
      "bob @ example.org",
    ],
  ],
  [
    "credit_card",
    [
      "4111 1111 1111 1111",
      "4111-1111-1111-1111",
      "378282246310005",
      "5555555555554444",
      "3782 822463 10005",
    ],
  ],
  ["credit_card", ["4111 1111 1111 l1I1", "4O12 8888 8888 1881"]],
  [
    "iban",
    [
      "DE89 3704 0044 0532 0130 00",
      "DE89370400440532013000",
      "GB82 WEST 1234 5698 7654 32",
      "FR1420041010050500013M02606",
    ],
  ],
  ["iban", ["DEB9 3704 0044 O532 0130 00", "NL91 ABNA 0417 1643 00"]],
  ["ssn", ["123-45-6789", "078-05-1120"]],
  ["ip_address", ["192.168.1.20", "8.8.8.8", "2001:db8::8a2e:370:7334", "fe80::1ff:fe23:4567:890a"]],
  [
    "phone",
    ["+49 30 901820", "+1 (212) 555-0123", "(212) 555-0123", "212-555-0123", "030 901820-45", "0171/1234567"],
  ],
  ["phone", ["01 23 45 67 89", "0049 30 901820"]],
  [
    "api_key",
    [GITHUB, GITHUB.replace("_", " "), "AKIAIOSFODNN7EXAMPLE", "sk-proj-abcdEFGH1234ijklMNOP5678", TOKEN],
  ],
  [
    "api_key",
    [
      "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY7",
      "xoxb-123456789012-abcdefGHIJ",
      "-----BEGIN RSA PRIVATE KEY-----",
    ],
  ],
];

t.test("each kind is found in its line, and nothing beside it", async (t) => {
  for (const [kind, texts] of EXAMPLES) {
    for (const text of texts) {
      for (const before of AROUND) {
        for (const after of AFTER) {
          t.same(found(`${before}${text}${after}`), [`${kind}:${text}`], `${before}${text}${after}`);
        }
      }
      t.same(
        found(
          text,
          PRIVATE_KINDS.filter((other) => other !== kind && other !== "phone"),
        ),
        [],
        "only what was asked for",
      );
    }
  }
  t.same(found("api_key = 4f9a8b7c6d5e"), ["api_key:4f9a8b7c6d5e"], "by the name before it");
  t.same(found("Password: hunter22!x"), ["api_key:hunter22!x"]);
  t.same(found("Phone: 555 0123 99"), ["phone:555 0123 99"]);
  t.same(found("a@example.com 4111 1111 1111 1111 10.1.2.3"), [
    "email:a@example.com",
    "credit_card:4111 1111 1111 1111",
    "ip_address:10.1.2.3",
  ]);
});

/** A number of `length` digits that fulfils Luhn's formula, begun as given. */
function cardOf(start: string, digits: readonly number[], length: number): string {
  const body = (start + digits.join("")).slice(0, length - 1);
  const last = [..."0123456789"].find((digit) => hasLuhn(body + digit));
  return body + (last ?? "");
}

const card = fc
  .tuple(
    fc.constantFrom("4", "51", "2221", "6011"),
    fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 16, maxLength: 16 }),
  )
  .map(([start, digits]) => cardOf(start, digits, 16));

t.test("every card number is found, whole and in groups, and none with one digit changed", async (t) => {
  fc.assert(
    fc.property(card, fc.integer({ min: 0, max: 15 }), fc.integer({ min: 1, max: 9 }), (number, at, more) => {
      const grouped = number.replace(/(\d{4})(?=\d)/g, "$1 ");
      const digit = (Number(number[at]) + more) % 10;
      const wrong = `${number.slice(0, at)}${digit}${number.slice(at + 1)}`;
      t.same(found(number, ["credit_card"]), [`credit_card:${number}`]);
      t.same(found(`No ${grouped} ok`, ["credit_card"]), [`credit_card:${grouped}`]);
      t.same(found(wrong, ["credit_card"]), []);
    }),
    { numRuns: 300 },
  );
});

t.test("every IBAN is found, and none with two neighbours exchanged", async (t) => {
  const bban = fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: 18, maxLength: 18 })
    .map((all) => all.join(""));
  fc.assert(
    fc.property(bban, fc.integer({ min: 4, max: 20 }), (account, at) => {
      const check = [...Array(100).keys()]
        .map((n) => String(n).padStart(2, "0"))
        .find((two) => Number(two) >= 2 && hasIbanCheck(`DE${two}${account}`));
      const iban = `DE${check}${account}`;
      const grouped = iban.replace(/(.{4})(?=.)/g, "$1 ");
      t.same(found(iban, ["iban"]), [`iban:${iban}`]);
      t.same(found(`IBAN ${grouped}.`, ["iban"]), [`iban:${grouped}`]);
      const swapped = `${iban.slice(0, at)}${iban[at + 1]}${iban[at]}${iban.slice(at + 2)}`;
      t.same(found(swapped, ["iban"]).length, swapped === iban ? 1 : 0);
    }),
    { numRuns: 200 },
  );
});

t.test("of any text the places are in it, in order, and apart", async (t) => {
  const letters = fc.constantFrom(..."aZ09 .@:-_/+()=|OlIS\u{1F600}ß");
  fc.assert(
    fc.property(
      fc.array(letters, { maxLength: 300 }).map((all) => all.join("")),
      (text) => {
        let end = 0;
        for (const { from, to } of privateIn(text, PRIVATE_KINDS)) {
          if (from < end || to <= from || to > text.length) t.fail(JSON.stringify(text));
          end = to;
        }
      },
    ),
    { numRuns: 2000 },
  );
});

/** Lines of ordinary programs in which nothing is private. */
const ORDINARY = [
  "drwxr-xr-x  2 root root     4096 Nov 26 00:38 node_modules",
  "-rw-r--r-- 1 alice staff 1073741824 2026-11-26 12:34:56 backup-2026-11-26.tar.gz",
  "commit 3f1c9a7be0d24c5e8f6a1b2c3d4e5f60718293a4",
  "Merge: 86591cd 2613109",
  "@@ -12,7 +12,9 @@ export class Display {",
  "src/desktop/picture/audience-display.ts:89:  readonly audience: Audience;",
  "https://example.com/a/very-long-path/to/AnotherComponentFile2.html?x=1&y=2",
  "const isRecentlyUsedByAnotherPrincipal2 = getElementById(token2);",
  "std::vector<int>::iterator a::b c::d",
  "npm WARN deprecated request@2.88.2: request has been deprecated",
  "npm run buildAndPackageEverythingForNode now",
  "typescript@5.9.2 node@20.19.0 fast-check@4.10.2",
  "version 1.2.3.4 build 10.0.19045.3803",
  "Ubuntu 22.04.3 LTS, kernel 6.1.0-18-amd64, gcc 12.2.0",
  "ETA 00:01:23  45.3 MB/s  12,345,678 bytes  100%",
  "Total: 1,234.56 EUR   Tax: 19.00 %   2026-11-26",
  "127.0.0.1:8080 0.0.0.0:22 LISTEN",
  "uuid 550e8400-e29b-41d4-a716-446655440000",
  "00:1a:2b:3c:4d:5e link/ether",
  "Password: ********",
  "token = getToken(options)",
  "if (secret === undefined) return null;",
  "meet @ noon. Then we go @ 5.",
  "File Edit View Search Terminal Help",
  "Zeile 12, Spalte 34     UTF-8     LF     100 %",
  "120 340 560 780 910 1200 3400 5600",
  "0x7fff5fbff8c0 0000 1111 2222 3333",
  "01-02-2026 12:30  05.11.2026 08:15:00",
  "ISBN 978-3-16-148410-0",
  "CPU 12.3%  MEM 4567 MB  PID 123456  TIME 1:23.45",
];

/** What is taken for private and is not, and why it stays: the price of missing nothing of that shape. */
const FALSELY_FOUND: readonly (readonly [string, readonly string[]])[] = [
  ["git@github.com:owner/name.git", ["email:git@github.com"]],
  ["user@host.example.com:~$ ls", ["email:user@host.example.com"]],
  ["ask me@work. Then we go", ["email:me@work. Then"]],
  ["Windows 10.0.19045.3", []],
  ["assembly 4.5.6.7 loaded", ["ip_address:4.5.6.7"]],
  ["order no. 4012 8888 8888 1881", ["credit_card:4012 8888 8888 1881"]],
  ["size 123-4B-5678", ["ssn:123-4B-5678"]],
  ["part 212-555-0123", ["phone:212-555-0123"]],
  ["integrity sha512-Zk2Q8v7c1L0mP9xR4tY6uW3eB5nA==", ["api_key:sha512-Zk2Q8v7c1L0mP9xR4tY6uW3eB5nA=="]],
];

t.test("in ordinary lines of programs nothing is found", async (t) => {
  for (const line of ORDINARY) t.same(found(line), [], line);
});

t.test("what is falsely found is known", async (t) => {
  for (const [line, all] of FALSELY_FOUND) t.same(found(line), all, line);
});

t.test("a box holds every word of which a letter is meant", async (t) => {
  const words = ["mail", "bob@example", ".com", "now"].map((text, i) => ({
    text,
    rect: { x: i * 100, y: 10 - i, width: 80, height: 12 },
    confidence: 90,
  }));
  const text = words.map((word) => word.text).join(" ");
  const [mailbox] = privateIn(text, PRIVATE_KINDS);
  t.same(mailbox && boxOf({ words }, mailbox), { x: 100, y: 8, width: 180, height: 13 });
  t.equal(boxOf({ words: [] }, { from: 0, to: 5 }), null);
});

/** As readers read them, of texts that were private: what is lost or another letter hides them all the same. */
const MISREAD: readonly (readonly [string, PrivateKind])[] = [
  ["note 0: qanzzh.pslzl@example. conf", "email"],
  ["note 21: xtrpta.cvqxa@example. con]", "email"],
  ["to bob.smith@example com", "email"],
  ["to bob.smith@examplecom", "email"],
  ["row 3 has suodqq.qpteoGexample. con] in it", "email"],
  ["row 34 has ghp_ YF9EKD6Uh941tAVmj Y3dTPwoVN3Pp46qJt2Q in it", "api_key"],
  ["ghp_WPREoDmz3F7j uoqccVBqnUDmWzVJMpFtTVM6", "api_key"],
  ["Customer 13: ghp_HIKfC1EDIgk2UsX)JnAwkHCZ18f60]JMGoyl1s is known", "api_key"],
  ["Customer 1: -++-49 30 42953756 is known", "phone"],
  ["at +49 3O 429S37S6", "phone"],
  ["No 12l-4S-6789", "ssn"],
  ["from I92.168,1.2O to", "ip_address"],
];

t.test("what was misread is found", async (t) => {
  for (const [line, kind] of MISREAD) t.ok(found(line, [kind]).length > 0, line);
  t.same(found("total 1,234,567,890 of 12,345.678,901"), [], "numbers with commas are no addresses");
  const [key] = privateIn("line ghp_ey200Frn9CRSyEéejnfi6fpYSNyciamcé6tNy tail", ["api_key"]);
  t.match(key, { from: 5, to: 46 }, "all of a key in which letters were taken for others");
  t.ok(found("9Kd2LmQ€xTr7VbnZ4wYp", ["api_key"]).length > 0, "and of random text");
  t.same(found("Müßiggänger äußern sich über größere Übungsräume 2026", ["api_key"]), []);
});

t.test("a mailbox whose sign was read as a capital is one; names of hosts are none", async (t) => {
  const found = (text: string): string[] =>
    privateIn(text, ["email"]).map(({ from, to }) => text.slice(from, to));
  t.same(found("row 1 has suodqq.qpteoGexample.com in it"), ["suodqq.qpteoGexample.com"]);
  t.same(found("to bobQmail.example.org, now"), ["bobQmail.example.org"]);
  t.same(found("bob€example. com"), ["bob€example. com"]);
  for (const host of ["www.Google.com", "GitHub.com", "mail.example.com", "read theGuide.txt", "Google.com"])
    t.same(found(`see ${host} there`), [], host);
});
