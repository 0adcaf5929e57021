import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import * as z from "zod";
import type { FilesInfo, SendingInfo } from "../../../src/web/api/files/files-api.ts";
import { newTokenSchema } from "../../../src/web/api/tokens-api.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { requireRdpTarget, startRdpTarget } from "./rdp-target.ts";

/** Longer on its way than a person needs to end it; nothing of it lies on the disk. */
const LARGE_BYTES = 1_500_000_000;

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

t.test("files go to a session of xrdp and come from it", { timeout: 120_000 }, async (t) => {
  if (!requireRdpTarget(t, "xrdp-xorg", ["xclip"])) return;
  const target = await startRdpTarget(t, "xrdp-xorg");
  const { display } = target;
  if (display === null) throw new Error("a target without a display");
  const appliance = await Appliance.start(t);
  const { port, username, password } = target;
  const place = { protocol: "rdp", host: "127.0.0.1", port, username, password, files: "on" };
  const added = await appliance.fetch("/api/v1/desktops", place);
  t.equal(added.status, 201);
  const desktop = z.looseObject({ id: z.string() }).parse(await added.json());
  const url = `/api/v1/desktops/${desktop.id}/files`;
  const info = async (): Promise<FilesInfo> => (await (await appliance.fetch(url)).json()) as FilesInfo;
  await until("a desktop with files", async () => (await info()).is_able);
  await display.isUp();

  // Copied there: as file managers say it, by an address that is percent-encoded.
  const folder = t.testdir();
  const copied = randomBytes(700_001);
  writeFileSync(join(folder, "größer 1.bin"), copied);
  writeFileSync(join(folder, "empty.txt"), "");
  writeFileSync(join(folder, "large.bin"), "");
  truncateSync(join(folder, "large.bin"), LARGE_BYTES);
  const addresses = ["größer 1.bin", "empty.txt", "large.bin"].map(
    (name) => `file://${encodeURI(join(folder, name))}`,
  );
  /** By a program that has the clipboard as long as it runs. */
  const copy = (): Program => {
    const owner = new Program(
      t,
      "xclip",
      ["-selection", "clipboard", "-in", "-quiet", "-t", "text/uri-list"],
      {
        env: display.env,
        stdin: "pipe",
      },
    );
    owner.endInput(Buffer.from(`${addresses.join("\r\n")}\r\n`));
    return owner;
  };
  const owner = copy();
  const listed = await until("the list", async () => {
    const { copied } = await info();
    return copied.files.length > 0 && copied;
  });
  t.match(listed.files, [
    { index: 0, name: "größer 1.bin", folder: "", size: copied.length },
    { index: 1, name: "empty.txt", folder: "", size: 0 },
    { index: 2, name: "large.bin", folder: "", size: LARGE_BYTES },
  ]);
  const taken = await Promise.all(
    [0, 1].map((index) => appliance.fetch(`${url}/copied/${listed.list}/${index}`)),
  );
  const bodies = await Promise.all(taken.map(async (answer) => new Uint8Array(await answer.arrayBuffer())));
  t.same(
    bodies.map((body) => sha256(body)),
    [sha256(copied), sha256(new Uint8Array())],
    "byte by byte",
  );
  t.equal(
    taken[0]?.headers.get("content-disposition"),
    `attachment; filename="gr__er 1.bin"; filename*=UTF-8''gr%C3%B6%C3%9Fer%201.bin`,
  );

  // Sent there: xrdp shows what is offered in a file system of the session, for the session's account alone.
  const sent = randomBytes(400_003);
  const files = [{ name: "sent.bin", size: sent.length }];
  const { id } = (await (await appliance.fetch(url, { files })).json()) as SendingInfo;
  for (const [from, to] of [
    [0, 300_000],
    [300_000, sent.length],
  ] as const) {
    const answer = await appliance.fetch(`${url}/${id}/0?offset=${from}`, undefined, {
      method: "PUT",
      headers: {
        authorization: `Bearer ${appliance.adminToken}`,
        "content-type": "application/octet-stream",
      },
      body: sent.subarray(from, to),
    });
    t.match(await answer.json(), { is_offered: to === sent.length, files: [{ received: to }] });
  }
  /** What the session's programs read of a file that is pasted there. */
  const readThere = async (name: string): Promise<Uint8Array> => {
    const pasted = await until("what is pasted", async () => {
      const text = await display
        .command("xclip", "-selection", "clipboard", "-out", "-target", "text/uri-list")
        .catch(() => "");
      return new RegExp(`file://(\\S+${name})`).exec(text)?.[1] ?? null;
    });
    // FUSE asks for the account's group as well.
    const asUser = ["setpriv", "--reuid", "61234", "--regid", "61234", "--clear-groups"];
    const inSession = ["-t", String(sessionOf(display.name)), "-m", ...asUser, "cat", pasted];
    const read = await promisify(execFile)("nsenter", inSession, {
      encoding: "buffer",
      maxBuffer: 4_000_000,
    });
    return read.stdout;
  };
  t.equal(
    sha256(await readThere("sent.bin")),
    sha256(sent),
    "byte by byte, as the session's programs read it",
  );
  t.match((await info()).sendings, [{ files: [{ taken: sent.length }] }]);

  await t.test("in the viewer", async (t) => {
    if (!requirePeers(t, ["chromium"])) return;
    const copyThere = async (): Promise<void> => {
      await owner.stop();
      copy();
      await until("another list", async () => (await info()).copied.list !== listed.list);
    };
    await inTheViewer(t, { appliance, id: desktop.id, copied, copyThere, readThere });
  });
});

interface InTheViewer {
  readonly appliance: Appliance;
  readonly id: string;
  /** The bytes of the file "größer 1.bin". */
  readonly copied: Uint8Array;
  /** Copies the three files on the desktop once more, which what was sent took the place of. */
  copyThere(): Promise<void>;
  readThere(name: string): Promise<Uint8Array>;
}

async function inTheViewer(
  t: Test,
  { appliance, id, copied, copyThere, readThere }: InTheViewer,
): Promise<void> {
  const browser = await openBrowser(t);
  const { page, complaints } = await signIn(browser, appliance);
  const open = async (at: Page, name: string): Promise<void> => {
    await at.goto(`${appliance.url}/desktops/${id}`);
    await at.getByRole("button", { name, exact: true }).first().click();
  };
  await open(page, "Files");
  const dialog = page.getByRole("dialog", { name: "Files" });
  const drop = dialog.getByLabel("Choose files, or drop them here");
  const row = (name: string) => dialog.getByRole("listitem").filter({ hasText: name });

  // Two parts and a bit more.
  const chosen = randomBytes(2_500_000);
  await drop.setInputFiles({ name: "chosen.bin", mimeType: "", buffer: chosen });
  await row("chosen.bin").getByText("Ready: paste it on the desktop (Ctrl+V)").waitFor();
  t.equal(sha256(await readThere("chosen.bin")), sha256(chosen), "what was chosen, byte by byte");
  await row("chosen.bin").getByText("The desktop has read 100 %").waitFor();
  const dropped = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["dropped"], "dropped.txt"));
    return transfer;
  })()`);
  await dialog.dispatchEvent("drop", { dataTransfer: dropped });
  await row("dropped.txt").getByText("Ready").waitFor();
  t.equal(Buffer.from(await readThere("dropped.txt")).toString(), "dropped", "what was dropped");
  await drop.setInputFiles({ name: "not this one.txt", mimeType: "", buffer: Buffer.from("no") });
  await row("not this one.txt").getByRole("button", { name: "Take not this one.txt back" }).click();
  await row("not this one.txt").waitFor({ state: "detached" });
  await drop.setInputFiles(
    Array.from({ length: 101 }, (_, index) => ({ name: `${index}`, mimeType: "", buffer: Buffer.from("") })),
  );
  await dialog.getByRole("alert").getByText("at most 100 files go at once, and 2 GB").waitFor();

  await copyThere();
  // The list of before has the same names.
  const asked = await page.waitForRequest(
    (request) => request.method() === "GET" && request.url().endsWith(`/${id}/files`),
  );
  await (await asked.response())?.finished();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    row("größer 1.bin").getByRole("button", { name: "Download größer 1.bin" }).click(),
  ]);
  t.equal(download.suggestedFilename(), "größer 1.bin");
  t.equal(sha256(readFileSync(await download.path())), sha256(copied), "what was taken, byte by byte");
  await row("large.bin").getByRole("button", { name: "Download large.bin" }).click();
  const progress = row("large.bin").getByRole("progressbar");
  await until("bytes of it", async () => Number(await progress.getAttribute("value")) > 1_000_000);
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await looksWell(t, page, "files");
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await row("large.bin").getByRole("button", { name: "Cancel large.bin" }).click();
  await row("large.bin").getByRole("button", { name: "Download large.bin" }).waitFor();
  const ended = await until("its end in the log", async () => {
    const answer = await appliance.fetch("/api/v1/audit?types=files.taken");
    const { events } = (await answer.json()) as {
      events: { error_code?: string; counts?: { bytes: number } }[];
    };
    return events.find(({ error_code }) => error_code === "cancelled") ?? null;
  });
  t.ok(Number(ended.counts?.bytes) < LARGE_BYTES, `${ended.counts?.bytes} bytes were given`);
  t.equal(await dialog.getByRole("alert").isVisible(), false, "who ended it is told of no error");
  t.same(complaints, []);

  await t.test("in German, on a phone", async (t) => {
    const { page } = await signIn(browser, appliance, {
      locale: "de-DE",
      viewport: { width: 390, height: 844 },
    });
    await page.goto(`${appliance.url}/desktops/${id}`);
    await page.getByRole("button", { name: "Mehr", exact: true }).click();
    await page.getByRole("button", { name: "Dateien", exact: true }).click();
    await page.getByText("Dateien wählen oder hier ablegen").waitFor();
    await page.getByRole("button", { name: "größer 1.bin herunterladen" }).waitFor();
    await page.evaluate("document.documentElement.dataset.theme = 'light'");
    await looksWell(t, page, "files-german");
  });

  await t.test("who may not has no button for it", async (t) => {
    const made = await appliance.fetch("/api/v1/tokens", { name: "Vera", role: "viewer" });
    const { token } = newTokenSchema.parse(await made.json());
    const { page } = await signIn(browser, { url: appliance.url, adminToken: token });
    await page.goto(`${appliance.url}/desktops/${id}`);
    await page.getByRole("button", { name: "Clipboard", exact: true }).first().waitFor();
    t.equal(await page.getByRole("button", { name: "Files", exact: true }).count(), 0);
  });
}

/** The process of xrdp's session that shows files, of the display alone. */
function sessionOf(display: string): number {
  const found = readdirSync("/proc").find((name) => {
    try {
      const environment = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
      const isOurs = environment.some((one) => one.replace(/\.0$/, "") === `DISPLAY=${display}`);
      return isOurs && readFileSync(`/proc/${name}/comm`, "utf8").trim() === "xrdp-chansrv";
    } catch {
      return false; // no process, or gone meanwhile
    }
  });
  if (found === undefined) throw new Error(`no xrdp-chansrv of ${display}`);
  return Number(found);
}
