import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import sharp from "sharp";
import { XDisplay } from "../test/e2e/harness/x-display.ts";
import type { Owner, Program } from "../test/support/program.ts";

const PHOTO = { width: 560, height: 380 };

/** A display of its own on which something moves all the time. */
export async function scrollingText(owner: Owner): Promise<XDisplay> {
  const display = await XDisplay.start(owner, { geometry: "1920x1080" });
  await display.openWindowManager();
  await display.openTerminal(
    "scroll",
    "200x50+20+20",
    "i=0; while :; do i=$((i+1)); seq -s ' ' $i $((i+40)); sleep 0.03; done",
  );
  return display;
}

/** A browser that scrolls a page of text and photos without end. */
export async function scrollingPage(owner: Owner, folder: string): Promise<XDisplay> {
  const display = await XDisplay.start(owner, { geometry: "1920x1080" });
  await display.openWindowManager();
  openChromium(display, folder, await scrollingPageFile(folder));
  await display.windowOf("bench page");
  return display;
}

/** The URL of a page of text and photos that scrolls without end. */
export async function scrollingPageFile(folder: string): Promise<string> {
  const file = join(folder, "page.html");
  writeFileSync(file, await pageHtml());
  return pathToFileURL(file).href;
}

/** A browser on a display, of this page alone. */
export function openChromium(display: XDisplay, folder: string, url: string): Program {
  return display.program(
    "chromium",
    ...["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync", "--disable-quic"],
    ...[
      "--disable-background-networking",
      "--disable-component-update",
      `--user-data-dir=${folder}/chromium`,
    ],
    ...["--window-position=100,50", "--window-size=1280,900", `--app=${url}`],
  );
}

/** A page of text and photos that scrolls without end. */
export async function pageHtml(): Promise<string> {
  const photos = await Promise.all([1, 2, 3, 4].map((seed) => photo(seed)));
  const text =
    "The quick brown fox jumps over the lazy dog while seventeen wizards make toxic brew for the evil queen. ";
  const parts = photos.map(
    (jpeg, i) => `<h2>Chapter ${i + 1}</h2><p>${text.repeat(14)}</p>
      <img width="${PHOTO.width}" height="${PHOTO.height}" src="data:image/jpeg;base64,${jpeg.toString("base64")}">`,
  );
  return `<!doctype html><title>bench page</title>
    <style>body{font:18px serif;margin:24px auto;max-width:1000px}</style>${parts.join("")}${parts.join("")}
    <script>
      let y = 0;
      const step = () => {
        y = (y + 23) % (document.body.scrollHeight - innerHeight);
        scrollTo(0, y);
        requestAnimationFrame(step);
      };
      step();
    </script>`;
}

/** Something with the entropy of a photo: soft shapes and the grain of a sensor. The same for the same seed. */
function photo(seed: number): Promise<Buffer> {
  const { width, height } = PHOTO;
  const rgb = Buffer.alloc(width * height * 3);
  let random = seed * 7919;
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      random = (Math.imul(random, 1103515245) + 12345) & 0x7fffffff;
      const grain = (random >> 16) % 13;
      const wave = Math.sin((x * seed) / 90) * 60 + Math.cos(y / (30 + seed * 9)) * 50;
      rgb[at++] = Math.max(0, Math.min(255, 128 + wave + grain));
      rgb[at++] = Math.max(0, Math.min(255, 100 + wave * 0.6 + (x + y) / 12 + grain));
      rgb[at++] = Math.max(0, Math.min(255, 160 - wave * 0.8 + grain));
    }
  }
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
}
