import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";

const DESKTOPS = z.array(z.object({ state: z.object({ kind: z.string(), text: z.string() }) }));
const COUNT = 40;

t.test("TigerVNC takes forty connections of one host, which begin a few at a time", async (t) => {
  if (!requirePeers(t, ["Xtigervnc"])) return;
  const { vncPort, server } = await XDisplay.start(t, { geometry: "640x480" });
  const connect = Array.from({ length: COUNT }, (_, n) => `vnc://127.0.0.1:${vncPort}?name=d${n}`);
  const appliance = await Appliance.start(t, { connect });
  const refused = new Set<string>();
  await until("all desktops", async () => {
    const answer = await appliance.fetch("/api/v1/desktops");
    const states = DESKTOPS.parse(await answer.json()).map(({ state }) => state);
    for (const { kind, text } of states) if (kind === "reconnecting") refused.add(text);
    return states.length === COUNT && states.every(({ kind }) => kind === "live") ? true : null;
  });
  t.same(
    [...refused],
    [],
    "none was refused: with more than five that are not signed in it refuses the host",
  );
  t.notMatch(server.stderr, /blacklisted/i);
});
