import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import * as z from "zod";
import { readTotp, totpAt } from "../../../src/auth/secrets/totp.ts";
import { filesOf } from "../../support/files-of.ts";
import { plain } from "../../support/opened.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";

const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
const VALUE = "Zq7!vX canary-9913 {end}";
const SEED = "otpauth://totp/Bank:ann?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&digits=8&algorithm=SHA256";
const SEED_LETTERS = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
const ADDRESS = "https://bank.example/login";

const answerSchema = z.object({
  isError: z.boolean().optional(),
  structuredContent: z
    .object({
      error: z.object({ code: z.string(), message: z.string() }).optional(),
      recording_id: z.string().optional(),
      subscription_id: z.string().optional(),
    })
    .optional(),
});
const approvalsSchema = z.array(
  z.object({ id: z.string(), text: z.string().nullable(), picture_url: z.string().nullable() }),
);

/** A text in the ways in which it could lie in a file. */
function spellingsOf(secret: string): Buffer[] {
  const utf8 = Buffer.from(secret);
  const base64 = [0, 1, 2].map((at) => utf8.subarray(at).toString("base64").slice(0, -4));
  return [
    utf8,
    Buffer.from(secret, "utf16le"),
    Buffer.from(utf8.toString("hex")),
    ...base64.map((text) => Buffer.from(text)),
    ...base64.map((text) => Buffer.from(text.replaceAll("+", "-").replaceAll("/", "_"))),
  ];
}

t.test(
  "a secret is typed into a terminal by its name, and is nowhere else",
  { timeout: 300_000 },
  async (t) => {
    if (!requirePeers(t, ["Xtigervnc", "xterm", "xdotool"])) return;
    const folder = mkdtempSync(join(tmpdir(), "oc-secrets-"));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "typed");
    const display = await XDisplay.start(t, { geometry: "800x600" });
    // A password prompt: what is typed is not echoed.
    await display.openTerminal(
      "prompt",
      "60x6+20+300",
      `stty raw -echo; printf 'Password: '; : > '${file}'; exec cat > '${file}'`,
    );
    const bar = display.program(
      ...["xterm", "-T", "bar", "-geometry", "60x3+20+20", "-e", "sh", "-c"],
      `printf '%s\\r\\n' '${ADDRESS}'; exec sleep 600`,
    );
    const barWindow = await display.windowOf("bar");
    await display.command("xdotool", "windowfocus", "--sync", await display.windowOf("prompt"));
    const typed = (): string => readFileSync(file, "latin1");

    const appliance = await Appliance.start(t, {
      connect: [`vnc://127.0.0.1:${display.vncPort}`],
      env: { OC_LOG_LEVEL: "debug", OC_APPROVAL_ARMING_MS: "0" },
    });
    const [desktop] = z
      .array(z.object({ id: z.string() }))
      .parse(await (await appliance.fetch("/api/v1/desktops")).json());
    const desktopId = desktop?.id ?? "";
    /** All that MCP and REST answered. */
    const traffic: string[] = [];
    const rest = async (path: string, body?: unknown, method?: string): Promise<unknown> => {
      const answer = await appliance.fetch(path, body, {
        ...(method === undefined ? {} : { method }),
        headers: {
          authorization: `Bearer ${appliance.adminToken}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
      });
      const text = await answer.text();
      traffic.push(text);
      t.ok(answer.ok, `${path}: ${answer.status}`);
      return text === "" ? null : JSON.parse(text);
    };
    const caller = async (token: string) => {
      const agent = await appliance.agent({ token });
      return async (tool: string, args: Record<string, unknown> = {}) => {
        const answer = await agent.raw(tool, args);
        traffic.push(JSON.stringify(answer));
        const { isError, structuredContent } = answerSchema.parse(answer);
        const { code, message } = structuredContent?.error ?? {};
        if (isError === true) t.comment(`${tool}: ${code}: ${message}`);
        return { code: isError === true ? code : "done", structuredContent };
      };
    };
    const call = await caller(appliance.agentToken);
    await until("a picture", async () => (await call("take_screenshot")).code === "done");

    // One by REST, and one by the command, from standard input, while the server runs.
    await rest(
      "/api/v1/secrets/bank",
      {
        value: VALUE,
        desktops: [desktopId],
        agents: ["agent"],
        seen: { text: ADDRESS, region: { x: 0, y: 0, width: 800, height: 90 } },
      },
      "PUT",
    );
    const command = new Program(
      t,
      process.execPath,
      [
        ...[MAIN, "secret", "add", "code", "--totp", "--data-dir", appliance.dataDir],
        ...["--desktops", desktopId, "--agents", "agent"],
      ],
      { stdin: "pipe" },
    );
    command.endInput(Buffer.from(`${SEED}\n`));
    await command.waitFor(
      "what it did",
      ({ stdout }) => (stdout.includes("code  added") ? true : null),
      60_000,
    );
    await rest("/api/v1/secrets");

    const { structuredContent: begun } = await call("start_recording");
    const recordingId = begun?.recording_id ?? "";
    const { structuredContent: subscribed } = await call("subscribe_events", {
      events: ["key_press", "screen_change"],
    });
    const subscription_id = subscribed?.subscription_id ?? "";

    // Alone, in a batch, and as a model's own tool has it.
    let expected = "";
    const types = async (
      text: string,
      result: string,
      tool = "type_text",
      args?: Record<string, unknown>,
    ) => {
      t.equal((await call(tool, args ?? { text, intent: `signs in with ${text}` })).code, "done", tool);
      expected += result;
      await until(`what ${tool} typed`, () => typed().length >= expected.length);
      t.equal(typed(), expected, tool);
    };
    await types("ann\t{{secret:bank}}\n", `ann\t${VALUE}\r`);
    await types("", `<${VALUE}>`, "batch_actions", {
      actions: [{ tool: "type_text", arguments: { text: "<{{secret:bank}}>" } }],
    });
    await types("", VALUE, "computer", { action: "type", text: "{{secret:bank}}" });
    await types("{{{{secret:bank}} {{ x }}", "{{secret:bank}} {{ x }}");
    const before = new Date();
    t.equal((await call("type_text", { text: "{{totp:code}}" })).code, "done");
    await until("the code", () => typed().length >= expected.length + 8);
    const code = typed().slice(expected.length);
    t.ok(
      [before, new Date()].map((at) => plain(totpAt(readTotp(SEED), at))).includes(code),
      "the code of that moment",
    );
    expected = typed();

    // A human is asked by the name.
    await rest(`/api/v1/desktops/${desktopId}/mode`, { mode: "assist" });
    const asked = call("type_text", { text: "{{secret:bank}}" });
    const card = await until("the question", async () => {
      const [open] = approvalsSchema.parse(await rest("/api/v1/approvals"));
      return open ?? null;
    });
    t.equal(card.text, "{{secret:bank}}");
    await rest(`/api/v1/approvals/${card.id}`, { decision: "approve" });
    t.equal((await asked).code, "done");
    expected += VALUE;
    await until("what was approved", () => typed().length >= expected.length);
    t.equal(typed(), expected);
    await rest(`/api/v1/desktops/${desktopId}/mode`, { mode: "autopilot" });

    // Nobody else gets it, and no other way.
    const other = z
      .object({ token: z.string() })
      .parse(await rest("/api/v1/tokens", { name: "other", role: "agent" }));
    const otherCall = await caller(other.token);
    const text = "{{secret:bank}}";
    t.equal((await otherCall("type_text", { text })).code, "secret_unknown");
    t.equal((await call("type_text", { text: "{{secret:nothing}}" })).code, "secret_unknown");
    t.equal((await call("type_text", { text: "{{secret:code}}" })).code, "secret_unknown");
    t.equal((await call("paste_text", { text })).code, "invalid_parameters");
    t.equal((await call("set_clipboard", { text })).code, "invalid_parameters");
    t.equal((await call("type_text", { text: "{{secret:bank" })).code, "invalid_parameters");
    // What is hidden from agents is not seen for them.
    const masks = `/api/v1/desktops/${desktopId}/masks`;
    const { id: maskId } = z
      .object({ id: z.string() })
      .parse(await rest(masks, { rect: { x: 0, y: 0, width: 800, height: 90 }, audiences: ["agent"] }));
    t.equal((await call("type_text", { text })).code, "secret_unseen", "under a mask");
    await rest(`${masks}/${maskId}`, undefined, "DELETE");
    await types(text, VALUE);
    await bar.stop();
    await until("the address gone", async () => {
      const windows = await display.command("xdotool", "search", "--name", ".").catch(() => "");
      return !windows.split("\n").includes(barWindow);
    });
    t.equal((await call("type_text", { text })).code, "secret_unseen", "the page is another one by now");
    t.equal(typed(), expected);

    t.equal((await call("poll_events", { subscription_id })).code, "done");
    await call("get_clipboard", {});
    await call("list_screenshots", {});
    await call("read_text", {});
    t.equal((await call("stop_recording", { recording_id: recordingId })).code, "done");
    await call("search_recording", { recording_id: recordingId, query: "secret" });
    const recording = `/api/v1/recordings/${recordingId}`;
    for (const way of ["timeline", "export.ndjson", "export.html"]) {
      const answer = await appliance.fetch(`${recording}/${way}`);
      t.ok(answer.ok, way);
      traffic.push(await answer.text());
    }
    await rest(`/api/v1/desktops/${desktopId}/actions`);
    await rest("/api/v1/secrets");
    t.match(traffic.join("\n"), "{{secret:bank}} among them", "actions are told by the name");

    const audit = readFileSync(join(appliance.dataDir, "audit.ndjson"), "utf8");
    t.match(audit, /"secret.used".*"action":"secret on .*"id":"bank"/);
    t.match(audit, /"secret.used".*"id":"bank".*"error_code":"secret_unseen"/);
    t.match(audit, /"secret.added".*"id":"code"/);
    const places: [string, Buffer][] = [
      ["answers", Buffer.from(traffic.join("\n"))],
      ["log", Buffer.from(appliance.program.stderr + appliance.program.stdout)],
      ["command", Buffer.from(command.stdout + command.stderr)],
      ...filesOf(appliance.dataDir)
        // A lock comes and goes with each writing, and holds a process's number.
        .filter((path) => !path.endsWith(".lock"))
        .map((path): [string, Buffer] => [path, readFileSync(path)]),
    ];
    t.ok(
      places.some(([path]) => path.includes("recordings")) &&
        places.some(([path]) => /secrets\.json/.test(path)),
    );
    for (const secret of [VALUE, VALUE.slice(0, 12), SEED_LETTERS, code]) {
      const found = places.filter(([, bytes]) =>
        spellingsOf(secret).some((spelling) => bytes.includes(spelling)),
      );
      t.same(
        found.map(([place]) => place),
        [],
        `${secret.length} characters in ${places.length} places`,
      );
    }
    // The search finds what is there.
    t.ok(spellingsOf("among them").some((spelling) => Buffer.from(traffic.join("\n")).includes(spelling)));
  },
);
