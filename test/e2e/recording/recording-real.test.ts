import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { Appliance } from "../harness/appliance.ts";
import { openBrowser } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { seekCold } from "./browser-seek.ts";
import { recordReal, sampleReal } from "./real-recording.ts";

const SECONDS = 40;
const SAMPLES = 200;
const IN_BROWSER = 20;

t.test(
  "a session with a terminal, an editor, a browser and a video replays as it was, in every pixel",
  { timeout: 300_000 },
  async (t) => {
    if (!requirePeers(t, ["Xtigervnc", "openbox", "xterm", "xdotool", "xev", "chromium", "ffmpeg"])) return;
    const folder = mkdtempSync(join(tmpdir(), "oc-real-"));
    // The browser's children write to its profile for a moment after it has gone.
    t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }));
    const dataDir = join(folder, "data");
    mkdirSync(dataDir);
    const real = await recordReal(t, folder, dataDir, SECONDS);
    const samples = await sampleReal(real, SAMPLES, Date.now() % 1_000_000);
    t.same(
      samples.map(({ fault }) => fault).filter((fault) => fault !== null),
      [],
      `${SAMPLES} random times on the server`,
    );
    const generations = new Set(samples.map(({ generation }) => generation));
    t.ok(generations.size > SAMPLES / 10, `${generations.size} different pictures`);
    t.equal((await real.desk.recordings.verify(real.id)).state, "sealed");
    await real.desk.recordings.close();

    const appliance = await Appliance.start(t, { args: ["--data-dir", dataDir, "--demo"] });
    const chosen = samples.slice(0, IN_BROWSER);
    const { seeks, complaints } = await seekCold(
      await openBrowser(t),
      appliance,
      real.id,
      chosen.map(({ atMs }) => atMs),
    );
    t.same(
      seeks.map(({ atMs, sha1 }) => [atMs, sha1]),
      chosen.map(({ atMs, sha1 }) => [atMs, sha1]),
      `${IN_BROWSER} of them in the browser`,
    );
    t.same(complaints, []);
    t.same(real.desk.bugs, []);
  },
);
