import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { makeLongRecording } from "../../recording/long-recording.ts";
import { Appliance } from "../harness/appliance.ts";
import { openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";

const run = promisify(execFile);
const SECONDS = 12;
const SIZE = { width: 640, height: 480 };
/** Of 255: what a codec may be away from the picture, a channel, on average. */
const MOST_AWAY = 1;

t.test(
  "a browser makes a video of a recording by itself, and another's decoder sees the same pictures",
  { timeout: 180_000 },
  async (t) => {
    if (!requirePeers(t, ["chromium", "ffmpeg", "ffprobe"])) return;
    const folder = mkdtempSync(join(tmpdir(), "oc-webcodecs-"));
    t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    const { archive, id } = await makeLongRecording(folder, SECONDS, SIZE);
    // A server without ffmpeg: nothing is found on its path.
    const env = { PATH: join(folder, "nothing") };
    const appliance = await Appliance.start(t, { args: ["--data-dir", folder, "--demo"], env });
    const refused = await appliance.fetch(`/api/v1/recordings/${id}/export.webm`);
    t.match(await refused.json(), { error: { code: "not_supported", message: /ffmpeg/ } });

    const { page, complaints } = await signIn(await openBrowser(t), appliance);
    await page.goto(`${appliance.url}/recordings/${id}`);
    await page.getByRole("button", { name: "Export" }).click();
    const gif = page.getByRole("link", { name: /GIF/ });
    await page.getByLabel("To", { exact: true }).fill("2:00");
    t.match(await gif.innerText(), /a minute at most: these are [\d:]+, choose less above/);
    t.equal(await gif.getAttribute("aria-disabled"), "true", "a limit is told before");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await gif.click({ force: true });
    await page.getByLabel("To", { exact: true }).fill("0:02");
    t.equal(await gif.getAttribute("aria-disabled"), "false");
    t.same(
      asked.filter((url) => url.includes("export.gif")),
      [],
      "nothing was asked for in vain",
    );
    let begin = (): void => {};
    const held = new Promise<void>((resolve) => {
      begin = resolve;
    });
    await page.route("**/export.ndjson?*", (route) => held.then(() => route.continue()), { times: 1 });
    await page.getByRole("link", { name: /NDJSON/ }).click();
    await page.getByText("being made…").waitFor();
    const saved = page.waitForEvent("download");
    begin();
    await saved;
    await page.getByText("being made…").waitFor({ state: "detached" });
    await page.getByLabel("To", { exact: true }).fill("");
    const [download] = await Promise.all([
      page.waitForEvent("download", { timeout: 120_000 }),
      page.getByRole("button", { name: /made by this browser/ }).click(),
    ]);
    t.match(
      download.suggestedFilename(),
      /^long \d{4}-\d\d-\d\d \d\d-\d\d\.webm$/,
      "named as the server names files",
    );
    const file = join(folder, "made.webm");
    await download.saveAs(file);
    const { stdout: facts } = await run("ffprobe", [
      ...["-v", "error", "-select_streams", "v", "-show_entries", "stream=codec_name,width,height"],
      ...["-of", "csv=p=0", file],
    ]);
    t.match(facts.trim(), /^vp[89],640,480$/);

    const reader = await archive.read(id);
    t.teardown(() => reader.close());
    for (const second of [0, 3, 7, 10]) {
      const { stdout: shown } = await run(
        "ffmpeg",
        [
          ...["-v", "error", "-i", file, "-ss", `${second + 0.5}`, "-frames:v", "1"],
          ...["-vf", "fps=10", "-f", "rawvideo", "-pix_fmt", "rgba", "-"],
        ],
        { encoding: "buffer", maxBuffer: 64 * 1024 * 1024 },
      );
      const { rgba } = await reader.frameAt(second * 1000 + 500);
      t.equal(shown.length, rgba.length, `${second} s`);
      const away = distance(shown, rgba);
      t.ok(away < MOST_AWAY, `${second} s: ${away.toFixed(2)} of 255 away on average`);
      const other = distance(shown, (await reader.frameAt(second * 1000 + 1500)).rgba);
      t.ok(away < other / 2, `${other.toFixed(2)} from the next picture`);
    }
    t.same(complaints, []);
  },
);

/** How far two pictures lie apart, a channel, on average. */
function distance(a: Uint8Array, b: Uint8Array): number {
  return b.reduce((sum, value, i) => sum + Math.abs(value - (a[i] ?? 0)), 0) / b.length;
}
