import t from "tap";
import { connectionFromUrl, makeConnection } from "../../../src/desktop/connections/connection.ts";

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
    width: 1920,
    height: 1080,
    depth: 24,
    graphics: "pipeline",
    require_nla: true,
    keyboard_layout: 0x407,
  });
  t.equal(makeConnection(connectionFromUrl("rdp://a:b@host"), NOW).port, 3389);
});

t.test("several screens are asked for instead of a size", async (t) => {
  const monitors = [
    { x: 640, y: 0, width: 800, height: 600 },
    { x: 0, y: 0, width: 640, height: 480 },
  ];
  const { rdp } = makeConnection(connectionFromUrl("rdp://a:b@host?monitors=800x600+640+0,640x480+0+0"), NOW);
  t.same(rdp, { monitors });
  for (const [query, pattern] of [
    ["monitors=800x600", /1280x800\+0\+0,1024x768\+1280\+0/],
    ["monitors=800x600+0+0&size=800x600", /a size beside them/],
    ["monitors=800x100+0+0", /800x100, expected sides of 200 to 8192/],
    ["monitors=800x600+10+0", /upper left corner at 10,0, expected 0,0/],
    ["monitors=800x600+0+0,800x600+799+0", /overlap/],
    ["monitors=8192x600+0+0,800x600+8192+0", /8992x600 pixels together/],
    [`monitors=${"200x200+0+0,".repeat(16)}200x200+0+0`, /a count of 17/],
  ] as const) {
    t.throws(() => makeConnection(connectionFromUrl(`rdp://a:b@host?${query}`), NOW), {
      code: "invalid_parameters",
      message: pattern,
    });
  }
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
