import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import * as z from "zod";
import type { Rect } from "../../../src/framebuffer/rect.ts";
import { RecordingArchive } from "../../../src/recording/library/archive.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { decodePicture } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";

// What was hidden while it was shown is in nothing that is made of a recording, whatever was hidden before and after.

const hitsSchema = z.array(z.object({ at_ms: z.number(), type: z.string(), text: z.string() }));
const textSchema = z.object({
  until_ms: z.number().nullable(),
  lines: z.array(z.object({ text: z.string() })),
});
const idSchema = z.object({ id: z.string() });

/** Windows, and what hides each. */
const FIRST: Rect = { x: 0, y: 0, width: 500, height: 130 };
const SECOND: Rect = { x: 0, y: 140, width: 500, height: 130 };
const OPEN: Rect = { x: 0, y: 300, width: 500, height: 200 };

t.test(
  "text of masks that come and go, and of a private time, is in no track, index or search",
  { timeout: 360_000 },
  async (t) => {
    if (!requirePeers(t, ["Xtigervnc", "xterm", "xdotool"])) return;
    const display = await XDisplay.start(t, { geometry: "800x600" });
    const appliance = await Appliance.start(t, {
      connect: [`vnc://127.0.0.1:${display.vncPort}`],
      env: { OC_RECORDING_TEXT: "on" },
    });
    const flag = (name: string): string => join(appliance.dataDir, name);
    /** A window that shows one line after the other, each once its flag is there. */
    const open = (title: string, geometry: string, lines: readonly string[]): Promise<unknown> => {
      const steps = lines.map((line) => {
        const name = line.split(" ").at(-1) ?? "";
        return `while [ ! -e ${flag(name)} ]; do sleep 0.1; done; printf '\\033[2J\\033[H${line}'`;
      });
      return display.openTerminal(
        title,
        geometry,
        `printf '\\033[?25l'; ${steps.join("; ")}; exec sleep 600`,
      );
    };
    await open("first", "40x4+20+20", ["Hidden vermouth", "Open gazebo"]);
    await open("second", "40x4+20+160", ["Hidden cinnabar", "Hidden turmeric"]);
    await open("open", "40x6+20+320", [
      "Open harbour",
      "Open lantern",
      "Open meadow",
      "Private zeppelin",
      "Open orchard",
    ]);
    const agent = await appliance.agent({ token: appliance.agentToken });
    await until("a picture", () => agent.shot());
    const [desktop] = z.array(idSchema).parse(await (await appliance.fetch("/api/v1/desktops")).json());
    const { recording_id: id } = z
      .object({ recording_id: z.string() })
      .parse(await agent.call("start_recording"));
    const get = async (path: string): Promise<unknown> =>
      (await appliance.fetch(`/api/v1/recordings/${id}${path}`)).json();
    const found = async (query: string) => hitsSchema.parse(await get(`/search?query=${query}`));
    /** What a person sees of a place. */
    const seen = async ({ x, y, width, height }: Rect): Promise<Buffer> => {
      const shot = await appliance.fetch(`/api/v1/desktops/${desktop?.id}/screenshot.png`);
      const { rgba, ...size } = await decodePicture(Buffer.from(await shot.arrayBuffer()));
      const rows = Array.from({ length: height }, (_, row) => {
        const from = ((y + row) * size.width + x) * 4;
        return rgba.subarray(from, from + width * 4);
      });
      return Buffer.concat(rows);
    };
    const show = async (word: string, place: Rect): Promise<void> => {
      const before = await seen(place);
      writeFileSync(flag(word), "");
      await until(`${word} on the screen`, async () => !(await seen(place)).equals(before));
    };
    /** Shown, and read by the recorder: all that was on the screen before is as well. */
    const showOpen = async (word: string, place = OPEN): Promise<void> => {
      await show(word, place);
      await until(`${word} in the recording`, async () => (await found(word)).length > 0, 90_000);
    };
    const mask = async (rect: Rect): Promise<string> => {
      const audiences = ["agent", "recording"];
      const answer = await appliance.fetch(`/api/v1/desktops/${desktop?.id}/masks`, {
        rect,
        label: "m",
        audiences,
      });
      t.equal(answer.status, 201);
      return idSchema.parse(await answer.json()).id;
    };
    const unmask = async (one: string): Promise<void> => {
      const path = `/api/v1/desktops/${desktop?.id}/masks/${one}`;
      t.ok((await appliance.fetch(path, undefined, { method: "DELETE" })).ok);
    };

    await showOpen("harbour");
    const first = await mask(FIRST);
    await show("vermouth", FIRST);
    const second = await mask(SECOND);
    await show("cinnabar", SECOND);
    await showOpen("lantern");
    // One mask goes while the other stays; what it hid is gone before.
    await show("gazebo", FIRST);
    await unmask(first);
    await until("what is open now", async () => (await found("gazebo")).length > 0, 90_000);
    await show("turmeric", SECOND);
    await showOpen("meadow");

    const asked = z
      .object({ request_id: z.string() })
      .parse(await agent.call("request_human", { reason: "Log in", kind: "login", private: true }));
    const answer = async (body: Record<string, unknown>): Promise<void> => {
      t.ok((await appliance.fetch(`/api/v1/requests/${asked.request_id}`, body)).ok, JSON.stringify(body));
    };
    await answer({ do: "take", private: true });
    await show("zeppelin", OPEN);
    const lengthMs = async (): Promise<number> =>
      z.object({ duration_ms: z.number() }).parse(await get("")).duration_ms;
    const privateMs = await lengthMs();
    await until("text that would have been read", async () => (await lengthMs()) > privateMs + 4_000, 60_000);
    await show("orchard", OPEN);
    await answer({ do: "done" });
    await until("what is open again", async () => (await found("orchard")).length > 0, 90_000);
    await agent.call("stop_recording", { recording_id: id });
    // Its picture was gone before the mask is.
    await unmask(second);

    const openWords = ["harbour", "lantern", "gazebo", "meadow", "orchard"];
    const hiddenWords = ["vermouth", "cinnabar", "turmeric", "zeppelin"];

    await t.test("searches find the others", async (t) => {
      for (const word of hiddenWords) t.same(await found(word), [], word);
      for (const word of openWords) t.ok((await found(word)).length > 0, word);
      for (const word of [...hiddenWords, ...openWords]) {
        const all = await (await appliance.fetch(`/api/v1/recordings/search?text=${word}`)).json();
        const { hits } = z.object({ hits: z.array(z.unknown()) }).parse(all);
        t.equal(hits.length > 0, openWords.includes(word), `${word} in all`);
      }
    });

    await t.test("nor does any moment, track, transcript or index have them", async (t) => {
      const archive = await RecordingArchive.open(appliance.dataDir, null);
      const index = await until("the index", () => archive.readIndex(id));
      const parts = await Promise.all(Array.from({ length: index.parts }, (_, part) => index.read(part)));
      const reader = await archive.read(id);
      const events = await reader.events();
      const tracks = JSON.stringify(events);
      await reader.close();
      const said = new Set<string>();
      // Each moment at which text came or went, however short it stood.
      for (const { type, atMs } of events) {
        if (type !== "text") continue;
        const { lines } = textSchema.parse(await get(`/text?at_ms=${Math.ceil(atMs)}`));
        for (const { text } of lines) said.add(text);
      }
      const exports = await Promise.all(
        ["ndjson", "txt"].map(async (kind) =>
          (await appliance.fetch(`/api/v1/recordings/${id}/export.${kind}`)).text(),
        ),
      );
      const places = {
        ...{ moments: [...said].join("\n"), index: Buffer.concat(parts).toString("utf8"), tracks },
        ...{ ndjson: exports[0] ?? "", transcript: exports[1] ?? "" },
      };
      for (const [name, text] of Object.entries(places)) {
        for (const word of hiddenWords) t.notOk(text.includes(word), `${word} is not in ${name}`);
        for (const word of openWords) t.ok(text.includes(word), `${word} is in ${name}`);
      }
    });
  },
);
