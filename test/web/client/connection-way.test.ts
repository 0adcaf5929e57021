import t from "tap";
import { makeConnection } from "../../../src/desktop/connection.ts";
import { wayOf } from "../../../src/desktop/transport-fields.ts";
import { connectionBodySchema } from "../../../src/web/api.ts";
import { connectionFromForm } from "../../../src/web/client/connection-form.ts";
import { hasWays, needsHost, WAYS } from "../../../src/web/client/connection-way.ts";

const form = (fields: Readonly<Record<string, string>>) =>
  connectionFromForm(new Map(Object.entries(fields)));

t.test("the form reads only what means something to the way", async (t) => {
  const all = {
    ...{ host: "box", path: "/p", repeater_id: "7", http_username: "ada", http_password: "x" },
    ...{ security: "X509Vnc", fingerprint: "AB" },
  };
  const same = { protocol: "vnc", host: "box", security: ["X509Vnc"], fingerprint: "AB" };
  const web = { path: "/p", http_username: "ada", http_password: "x" };
  t.same(form(all), same);
  t.same(form({ ...all, transport: "ws" }), { ...same, transport: "ws", ...web });
  t.same(form({ ...all, transport: "wss" }), { ...same, transport: "wss", ...web });
  t.same(form({ ...all, transport: "unix" }), { ...same, transport: "unix", path: "/p" });
  t.same(form({ ...all, transport: "repeater" }), { ...same, transport: "repeater", repeater_id: "7" });
  t.same(form({ ...all, transport: "reverse", host: "" }), {
    ...{ protocol: "vnc", transport: "reverse", security: ["X509Vnc"], fingerprint: "AB" },
  });
  t.same(form({ ...all, protocol: "kasmvnc", transport: "ws" }), {
    ...{ protocol: "kasmvnc", host: "box", transport: "ws", fingerprint: "AB" },
  });
  t.notMatch(form({ host: "box", transport: "pigeon", security: "magic" }), { transport: /./, security: [] });
});

t.test("every way of the form is one that the server takes", async (t) => {
  for (const [protocol, ways] of Object.entries(WAYS)) {
    for (const transport of Object.keys(ways)) {
      const fields = { protocol, transport, path: "/run/x", repeater_id: "7" };
      const body = connectionBodySchema.parse(
        form(needsHost(transport) ? { ...fields, host: "box" } : fields),
      );
      const place = body.host === undefined ? {} : { host: body.host };
      if (body.protocol === "rdp") throw new Error("expected a protocol with ways");
      const made = makeConnection({ protocol: body.protocol, ...place, ...wayOf(body) }, new Date(0));
      t.equal(made.transport ?? "", transport, `${protocol} ${transport}`);
    }
  }
  t.notOk(hasWays("rdp"));
});
