import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import * as z from "zod";
import { encodePicture } from "../../../src/compositor/picture-file.ts";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { takePatch } from "../../../src/framebuffer/patch.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { findExact } from "../../../src/framebuffer/search-exact.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { ToolRefusal } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";

// A secret bound to what is seen beside its field, before a true sign-in and others that look alike: each is drawn into
// a terminal of a real X server, and the true one comes between them, so that a refusal has no other reason.

const VALUE = "Zq7!vX-canary";
/** Cells of DejaVu Sans Mono 10, and the border of xterm. */
const CELL = { width: 8, height: 17 };
const BORDER = 2;
/** Where the name of the site stands, in cells from 1 on, and the field below it. */
const SITE = "bank.example";
const AT = { row: 3, column: 5 };
const FIELD = { rows: 2, columns: 20 };

const at = (row: number, column: number, text: string): string => `\x1b[${row};${column}H${text}`;
const bold = (text: string): string => `\x1b[1m${text}\x1b[0m`;
const field = at(AT.row + FIELD.rows, AT.column, "Password: [            ]");
const site = (text: string, row = AT.row, column = AT.column): string => at(row, column, bold(text)) + field;
const TRUE = site(SITE);

/** What is drawn, and where it is clicked where that is not the field: cells from the name of the site. */
const LOOK_ALIKES: readonly (readonly [what: string, drawn: string, click?: readonly [number, number]])[] = [
  ["nothing beside the field", field],
  ["another site", site("bank.exemple")],
  ["one letter for another", site("bnak.example")],
  ["a digit one for an l", site("bank.examp1e")],
  ["a capital I for an l", site("bank.exampIe")],
  ["rn for nk", site("barn.example")],
  ["an accent", site("bánk.example")],
  ["a letter of Greek", site("bank.εxample")],
  ["a dash for the dot", site("bank-example")],
  ["capital letters", site("BANK.EXAMPLE")],
  ["the name, not bold", at(AT.row, AT.column, SITE) + field],
  ["underlined", at(AT.row, AT.column, `\x1b[1;4m${SITE}\x1b[0m`) + field],
  ["another colour", at(AT.row, AT.column, `\x1b[1;34m${SITE}\x1b[0m`) + field],
  ["turned over", at(AT.row, AT.column, `\x1b[1;7m${SITE}\x1b[0m`) + field],
  ["zoomed", `${at(AT.row, 1, "\x1b#3")}${at(AT.row, AT.column, bold(SITE))}${field}`],
  ["half of it", site("bank.exam")],
  ["below the field", site(SITE, AT.row + 4)],
  ["far to the right of it", site(SITE, AT.row, AT.column + 30)],
  ["as small print at the end", site(SITE, 18, 40)],
  ["the true one, and another field is clicked", TRUE, [8, 2]],
  ["the true one, and the name itself is clicked", TRUE, [0, 2]],
  ["the true one, seen through a tear", TRUE + at(AT.row, AT.column + 3, " ")],
];

t.test("no page that looks alike gets a secret, and the true one does", { timeout: 420_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "xterm", "xdotool"])) return;
  const folder = mkdtempSync(join(tmpdir(), "oc-look-alikes-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const [typedFile, drawn] = [join(folder, "typed"), join(folder, "drawn")];
  await promisify(execFile)("mkfifo", [drawn]);
  const display = await XDisplay.start(t, { geometry: "800x600" });
  const script = `stty raw -echo; : > '${typedFile}'; printf '\\033[?25l'; (while :; do cat '${drawn}'; done) & exec cat > '${typedFile}'`;
  const window = await display.openTerminal("page", "80x22+20+20", script);
  await display.command("xdotool", "windowfocus", "--sync", window);
  const place = await display.placeOf(window);
  const corner = {
    x: place.x + BORDER + (AT.column - 1) * CELL.width,
    y: place.y + BORDER + (AT.row - 1) * CELL.height,
  };
  const draw = (what: string): Promise<void> => appendFile(drawn, `\x1b[H\x1b[2J${what}`);
  const typed = (): string => readFileSync(typedFile, "latin1");

  const appliance = await Appliance.start(t, {
    connect: [`vnc://127.0.0.1:${display.vncPort}`],
    env: { OC_APPROVAL_ARMING_MS: "0" },
  });
  const agent = await appliance.agent({ token: appliance.agentToken });
  const [desktop] = z
    .array(z.object({ id: z.string() }))
    .parse(await (await appliance.fetch("/api/v1/desktops")).json());
  await until("a picture", () => agent.shot());

  // The mark is what an administrator cuts out of a screenshot.
  await draw(TRUE);
  const size = { width: SITE.length * CELL.width, height: CELL.height };
  const markOf = async () => {
    const { width, height, rgba } = await display.shot();
    const frame = new Framebuffer(width, height, { hasKernels: true });
    frame.bytes.set(rgba);
    return { frame, patch: takePatch(frame, rect(corner.x, corner.y, size.width, size.height)) };
  };
  const { patch } = await until("the true page", async () => {
    const seen = await markOf();
    return seen.patch.ink > 100 ? seen : null;
  });
  const rgba = new Uint8ClampedArray(patch.words.buffer);
  const picture = Buffer.from(await encodePicture({ ...size, rgba }, "png")).toString("base64");
  const made = await appliance.fetch(
    "/api/v1/secrets/bank",
    {
      ...{ value: VALUE, desktops: [desktop?.id ?? ""], agents: ["agent"] },
      seen: {
        picture,
        field: {
          ...{ x: 0, y: FIELD.rows * CELL.height },
          ...{ width: FIELD.columns * CELL.width, height: CELL.height },
        },
      },
    },
    {
      method: "PUT",
      headers: { authorization: `Bearer ${appliance.adminToken}`, "content-type": "application/json" },
    },
  );
  t.equal(made.status, 201, await made.clone().text());

  const tries = async (clicked: readonly [number, number] = [FIELD.rows, 3]): Promise<string> => {
    const [rows, columns] = clicked;
    await agent.call("click_at", {
      x: corner.x + columns * CELL.width + 4,
      y: corner.y + rows * CELL.height + 8,
    });
    try {
      await agent.call("type_text", { text: "{{secret:bank}}" });
      return "typed";
    } catch (error) {
      if (error instanceof ToolRefusal) return error.code;
      throw error;
    }
  };
  /** Until what is drawn is there, and agents are shown it. */
  const isDrawn = async (isTrue: boolean): Promise<void> => {
    await until("the page", async () => {
      const { frame } = await markOf();
      return findExact(frame, patch, frame.rect, 1).places.length > 0 === isTrue ? true : null;
    });
    await agent.call("take_screenshot", { wait_for_stable_ms: 100 });
  };
  let expected = "";
  const isTyped = async (what: string): Promise<void> => {
    await draw(TRUE);
    await isDrawn(true);
    t.equal(await tries(), "typed", what);
    expected += VALUE;
    await until("the secret", () => typed().length >= expected.length);
    t.equal(typed(), expected, what);
  };
  await isTyped("the true page");
  for (const [what, page, click] of LOOK_ALIKES) {
    await draw(page);
    await agent.call("take_screenshot", { wait_for_stable_ms: 200 });
    t.equal(await tries(click), "secret_unseen", what);
    t.equal(typed(), expected, what);
  }
  await isTyped("the true page again");
  // Beside it, in another window: what is clicked there is beside nothing.
  const other = await display.openTerminal("other", "30x4+500+430", "stty raw -echo; exec cat > /dev/null");
  const { x, y } = await display.placeOf(other);
  await agent.call("click_at", { x: x + 40, y: y + 20 });
  await t.rejects(agent.call("type_text", { text: "{{secret:bank}}" }), { code: "secret_unseen" });
  await display.command("xdotool", "windowkill", other);
  await display.command("xdotool", "windowmove", "--sync", window, "120", "90");
  const moved = await display.placeOf(window);
  corner.x += moved.x - place.x;
  corner.y += moved.y - place.y;
  await display.command("xdotool", "windowfocus", "--sync", window);
  await isTyped("the field goes with its window");
});
