import sharp from "sharp";
import t from "tap";
import { listRecordings, readRecording } from "../../protocols/kasmvnc/recording.ts";
import { replayOverWebSocket } from "../../support/kasm-replay.ts";
import { clipboardMessage, KasmServer } from "../../support/kasm-server.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import type { Agent } from "../harness/mcp-client.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";

const USER = { password: "lovelace1", rights: "rwo" } as const;

function urlOf({ port }: { readonly port: number }, password: string = USER.password): string {
  return `kasmvnc://ada:${password}@127.0.0.1:${port}`;
}

/** The server's own picture, without the pointer. */
function truthOf({ width, height, pixels }: KasmServer): Shot {
  const rgba = Buffer.alloc(width * height * 4, 255);
  for (let i = 0; i < width * height; i++) pixels.copy(rgba, i * 4, i * 3, i * 3 + 3);
  return { width, height, rgba };
}

async function expectPicture(agent: Agent, what: string, truth: () => Shot): Promise<void> {
  let difference: string | null = "not compared";
  await until(what, async () => {
    difference = differenceOf(await agent.shot(), truth());
    return difference === null;
  }).catch((cause: unknown) => {
    throw new Error(`${what}: ${difference}`, { cause });
  });
}

t.test("an agent sees and works a KasmVNC desktop", { timeout: 120_000 }, async (t) => {
  const server = await KasmServer.start(t, { users: { ada: { ...USER } }, width: 640, height: 480 });
  const appliance = await Appliance.start(t, { connect: [urlOf(server)] });
  const agent = await appliance.agent();
  await agent.call("click_at", { x: 300, y: 200 });
  t.match(server.input.slice(-3), [
    { type: "pointer", x: 300, y: 200, buttons: 0 },
    { type: "pointer", x: 300, y: 200, buttons: 1 },
    { type: "pointer", x: 300, y: 200, buttons: 0 },
  ]);
  server.paint(10, 20, 300, 200, [200, 100, 50]);
  server.paint(630, 470, 10, 10, [1, 2, 3]);
  await expectPicture(agent, "what was painted", () => truthOf(server));

  await agent.call("type_text", { text: "Hé" });
  t.same(
    server.input.flatMap((input) => (input.type === "key" && input.isDown ? [input.keysym] : [])),
    [0x48, 0xe9],
    "keysyms, which is what it looks at",
  );
  await agent.call("set_clipboard", { text: "東京 😀" });
  t.match(server.input.at(-1), { type: "clipboard", items: [["text/plain", "東京 😀"]] });
  server.say(clipboardMessage(["text/plain", "Ελλάδα"]));
  await until("the server's clipboard", async () => (await agent.call("get_clipboard"))["text"] === "Ελλάδα");
  t.equal(server.requests.length, 1);
});

t.test("a refused password is not tried again", { timeout: 60_000 }, async (t) => {
  const server = await KasmServer.start(t, { users: { ada: { ...USER } } });
  const appliance = await Appliance.start(t, { connect: [urlOf(server, "wr0ngpass")] });
  await until("the refusal", async () => {
    const answer = await appliance.fetch("/api/v1/desktops");
    return (await answer.text()).includes("auth_failed");
  });
  t.equal(server.blacklist.failures, 1);
  t.notMatch(appliance.program.stderr, /wr0ngpass/);
});

t.test(
  "a real server's bytes give the true picture, all the way to the agent",
  { timeout: 120_000 },
  async (t) => {
    for (const name of ["01-tight-lossless", "08-tight-qoi"]) {
      const folder = listRecordings().get(name);
      if (folder === undefined) throw new Error(`no recording ${name}`);
      const recording = readRecording(folder);
      const truth = recording.truths.at(-1);
      if (truth === undefined) throw new Error("no true picture");
      const port = await replayOverWebSocket(t, recording, truth.afterLine);
      const appliance = await Appliance.start(t, { connect: [`kasmvnc://127.0.0.1:${port}`] });
      const agent = await appliance.agent();
      const { data, info } = await sharp(truth.path)
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      await expectPicture(agent, name, () => ({ width: info.width, height: info.height, rgba: data }));
      t.pass(name);
    }
  },
);
