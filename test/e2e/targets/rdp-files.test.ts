import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import * as z from "zod";
import type { FilesInfo, SendingInfo } from "../../../src/web/api/files/files-api.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requireRdpTarget, startRdpTarget } from "./rdp-target.ts";

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
  const addresses = ["größer 1.bin", "empty.txt"].map((name) => `file://${encodeURI(join(folder, name))}`);
  const owner = new Program(t, "xclip", ["-selection", "clipboard", "-in", "-quiet", "-t", "text/uri-list"], {
    env: display.env,
    stdin: "pipe",
  });
  owner.endInput(Buffer.from(`${addresses.join("\r\n")}\r\n`));
  const listed = await until("the list", async () => {
    const { copied } = await info();
    return copied.files.length > 0 && copied;
  });
  t.match(listed.files, [
    { index: 0, name: "größer 1.bin", folder: "", size: copied.length },
    { index: 1, name: "empty.txt", folder: "", size: 0 },
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
  const pasted = await until("what is pasted", async () => {
    const text = await display
      .command("xclip", "-selection", "clipboard", "-out", "-target", "text/uri-list")
      .catch(() => "");
    return /file:\/\/(\S+sent\.bin)/.exec(text)?.[1] ?? null;
  });
  // FUSE asks for the account's group as well.
  const asUser = ["setpriv", "--reuid", "61234", "--regid", "61234", "--clear-groups"];
  const inSession = ["-t", String(sessionOf(display.name)), "-m", ...asUser, "cat", pasted];
  const read = await promisify(execFile)("nsenter", inSession, { encoding: "buffer", maxBuffer: 1_000_000 });
  t.equal(sha256(read.stdout), sha256(sent), "byte by byte, as the session's programs read it");
  t.match((await info()).sendings, [{ files: [{ taken: sent.length }] }]);
});

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
