import t from "tap";
import { connectionFromUrl, makeConnection } from "../../src/desktop/connection.ts";
import { rdpFields, rdpFieldsOf, rdpWishesOf } from "../../src/desktop/rdp-fields.ts";

const NOW = new Date(Date.UTC(2026, 10, 21));
const URL =
  "rdp://DOM%5Cada:s%20cret@host:3390?size=1920x1080&depth=24&graphics=pipeline&require_nla=on&keyboard_layout=0x407";

t.test("an rdp URL says where, as whom and what is asked for", async (t) => {
  const connection = makeConnection(connectionFromUrl(URL), NOW);
  t.match(connection, {
    protocol: "rdp",
    host: "host",
    port: 3390,
    username: "DOM\\ada",
    password: "s cret",
  });
  t.same(connection.rdp, {
    size: { width: 1920, height: 1080 },
    depth: 24,
    graphics: "pipeline",
    needsNla: true,
    keyboardLayout: 0x407,
  });
  t.equal(makeConnection(connectionFromUrl("rdp://a:b@host"), NOW).port, 3389);
});

t.test("what is asked for survives the disk", async (t) => {
  const { rdp } = connectionFromUrl(URL);
  t.same(rdpWishesOf({ rdp: rdpFields.rdp.parse(JSON.parse(JSON.stringify(rdpFieldsOf(rdp)))) }), { rdp });
  t.same(rdpWishesOf({}), {});
});

t.test("wishes that are none are refused in words", async (t) => {
  for (const [query, pattern] of [
    ["size=10x10", /1280x800/],
    ["depth=12", /32, 24, 16, 15, 8/],
    ["graphics=video", /bitmaps, pipeline/],
    ["require_nla=maybe", /on, off/],
    ["keyboard_layout=de", /0x409/],
  ] as const) {
    t.throws(() => connectionFromUrl(`rdp://a:b@host?${query}`), {
      code: "invalid_parameters",
      message: pattern,
    });
  }
});

t.test("user name and password are both needed", async (t) => {
  const input = { protocol: "rdp", host: "h" } as const;
  t.throws(() => makeConnection({ ...input, username: "a" }, NOW), { message: /no password/ });
  t.throws(() => makeConnection({ ...input, password: "a" }, NOW), { message: /no username/ });
  t.throws(() => makeConnection(input, NOW), { message: /no username and no password/ });
});
