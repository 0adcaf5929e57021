import t from "tap";
import {
  playerPath,
  routeOf,
  rulesPath,
  signInPath,
  viewerPath,
  wantedPath,
} from "../../../../src/web/client/shell/route.ts";
import { clampCrop, cropFromQuery, queryOfCrop } from "../../../../src/web/client/viewer/crop.ts";

t.test("each page has its address", async (t) => {
  t.same(routeOf("/", ""), { page: "desktops" });
  t.same(routeOf("/approvals", ""), { page: "approvals", approvalId: null });
  t.same(routeOf("/approvals", "?card=a1"), { page: "approvals", approvalId: "a1" });
  t.same(routeOf("/setup", ""), { page: "setup" });
  t.same(routeOf("/access", ""), { page: "access" });
  t.same(routeOf("/secrets", ""), { page: "secrets" });
  t.same(routeOf("/audit", "?types=auth.*"), { page: "audit" });
  t.same(routeOf("/recordings", ""), { page: "recordings" });
  t.same(routeOf("/recordings/a%2Fb", ""), { page: "player", recordingId: "a/b" });
  t.match(routeOf("/recordings/a/b", ""), { page: "unknown" });
  t.match(routeOf("/recordings/%", ""), { page: "unknown" });
  t.same(routeOf(playerPath("ü /?#"), ""), { page: "player", recordingId: "ü /?#" });
  t.equal(playerPath("r1", "#t=3"), "/recordings/r1#t=3");
  t.same(routeOf("/signin", "?error=wrong"), { page: "signin" });
  t.same(routeOf("/desktops/a%2Fb", ""), { page: "viewer", desktopId: "a/b", crop: null });
  t.same(routeOf(rulesPath("a/b"), ""), { page: "rules", desktopId: "a/b" });
});

t.test("the viewer's path reads back as the same desktop and crop", async (t) => {
  const crop = { x: 1280, y: 0, width: 800, height: 600, scale: 0.5 };
  const url = new URL(viewerPath("ü /?#", queryOfCrop(crop)), "http://localhost");
  t.same(routeOf(url.pathname, url.search), { page: "viewer", desktopId: "ü /?#", crop });
});

t.test("an address that names nothing is told as it is", async (t) => {
  t.same(routeOf("/nothing", ""), { page: "unknown", path: "/nothing" });
  t.same(routeOf("/desktops/%E0%A4%A", ""), { page: "unknown", path: "/desktops/%E0%A4%A" });
});

t.test("a crop needs a size; its corner defaults to the desktop's", async (t) => {
  t.same(cropFromQuery("vw=100&vh=50"), { x: 0, y: 0, width: 100, height: 50, scale: null });
  for (const query of [
    "",
    "vw=100",
    "vw=0&vh=10",
    "vw=-5&vh=10",
    "vw=1e3&vh=10",
    "vw=70000&vh=10",
    "vx=x&vw=9&vh=9",
  ]) {
    t.equal(cropFromQuery(query), null, query);
  }
});

t.test("a scale outside sense is as if it were not asked for", async (t) => {
  for (const scale of ["0", "-1", "99", "NaN", "Infinity", "many"]) {
    t.equal(cropFromQuery(`vw=10&vh=10&scale=${scale}`)?.scale, null, scale);
  }
  t.equal(cropFromQuery("vw=10&vh=10&scale=2")?.scale, 2);
});

t.test("a crop is clamped to the desktop, and one beside it is none", async (t) => {
  const crop = { x: 1000, y: 0, width: 800, height: 600, scale: null };
  t.same(clampCrop(crop, { width: 1280, height: 500 }), { ...crop, width: 280, height: 500 });
  t.equal(clampCrop(crop, { width: 1000, height: 500 }), null);
});

t.test("whoever signs in gets where they wanted to go, within this app", async (t) => {
  const wanted = "/desktops/a%20b?vx=1&vw=2&vh=3#x";
  t.equal(wantedPath(new URL(signInPath(wanted), "http://x").search), wanted);
  t.equal(wantedPath(""), "/");
  t.equal(wantedPath("?error=wrong"), "/");
  for (const next of [
    ...[
      "//evil.example/",
      "https://evil.example/",
      "/\\evil.example",
      "\\\\evil.example",
      "/\t/evil.example",
    ],
    ...[
      "/.//evil.example",
      "javascript:alert(1)",
      "/signin?next=/",
      "/nothing",
      "http://[",
      " //evil.example",
    ],
  ]) {
    t.equal(wantedPath(`?${new URLSearchParams({ next })}`), "/", JSON.stringify(next));
  }
});
