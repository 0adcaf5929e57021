import dns from "node:dns";
import dnsPromises from "node:dns/promises";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { linkPartsOf, openTargetLink, type TrustSettings } from "../../../src/appliance/open-links.ts";
import {
  type Connection,
  type ConnectionInput,
  makeConnection,
} from "../../../src/desktop/connections/connection.ts";
import { guardConnection } from "../../../src/desktop/connections/target-guard.ts";
import { targetRule } from "../../../src/desktop/connections/target-rules.ts";
import { type LinkError, RefusedError } from "../../../src/desktop/error.ts";
import { IGNORE_EVENTS } from "../../../src/desktop/link.ts";
import { GuardProxy } from "../../../src/desktop/links/browser/guard-proxy.ts";
import { makeTargetLink } from "../../../src/desktop/links/target-link.ts";
import { SPELLINGS } from "../../support/loopback-spellings.ts";

const RDP = { protocol: "rdp", username: "ada", password: "x" } as const;
/** Every way in which a link's target is named; `port` is one that the operator denies. */
const LINKS: Readonly<Record<string, (host: string, port: number, hub: number) => ConnectionInput>> = {
  vnc: (host, port) => ({ protocol: "vnc", host, port }),
  "vnc+ws": (host, port) => ({ protocol: "vnc", transport: "ws", host, port }),
  "vnc+wss": (host, port) => ({ protocol: "vnc", transport: "wss", host, port }),
  "vnc+repeater": (host, port) => ({ protocol: "vnc", transport: "repeater", repeater_id: "7", host, port }),
  "behind a repeater": (host, port, hub) => ({
    ...{ protocol: "vnc", transport: "repeater", host: "127.0.0.1", port: hub },
    repeater_id: `${host.includes(":") ? `[${host}]` : host}:${port}`,
  }),
  kasmvnc: (host, port) => ({ protocol: "kasmvnc", host, port, username: "ada", password: "x" }),
  "kasmvnc+ws": (host, port) => ({ protocol: "kasmvnc", transport: "ws", host, port }),
  "kasmvnc+wss": (host, port) => ({ protocol: "kasmvnc", transport: "wss", host, port }),
  rdp: (host, port) => ({ ...RDP, host, port }),
  "browser+cdp": (host, port) => ({ protocol: "browser", host, port }),
};

/** How the way ended, by the code of its error; null where nobody can name the host so. */
type Way = (host: string, port: number, hub: number, limits: TrustSettings) => Promise<string | null>;

/** And those of pages of a browser of ours, which asks its proxy. */
const WAYS: Readonly<Record<string, Way>> = {
  ...Object.fromEntries(Object.entries(LINKS).map(([way, name]) => [way, byLink(name)])),
  "a page": (host, port, _hub, limits) => byPage("GET", host, port, limits),
  "a page's WebSocket": (host, port, _hub, limits) => byPage("CONNECT", host, port, limits),
};

function byLink(name: (typeof LINKS)[string]): Way {
  return async (host, port, hub, limits) => {
    try {
      const input = name(host, port, hub);
      made(input);
      return (await endOf(input, limits)).code;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      return null;
    }
  };
}

async function byPage(
  method: string,
  host: string,
  port: number,
  { limits }: TrustSettings,
): Promise<string | null> {
  if (/[^\x21-\x7e]/.test(host)) return null; // no request line holds it
  const proxy = await GuardProxy.open({ only: [], deny: [], ...limits, own: [] }, true);
  const place = `${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
  try {
    return await new Promise((resolve, reject) => {
      const asked = request({
        ...{ host: "127.0.0.1", port: proxy.port, method, agent: false },
        path: method === "CONNECT" ? place : `http://${place}/`,
      });
      const answered = ({ statusCode = 0 }): void =>
        resolve(statusCode === 403 ? "target_forbidden" : statusCode >= 400 ? "unreachable" : "reached");
      asked.once("response", answered).once("connect", answered).once("error", reject).end();
    });
  } finally {
    proxy.close();
  }
}

const rules = (...texts: readonly string[]) => texts.flatMap((text) => targetRule(text) ?? []);

function settings(only: readonly string[], deny: readonly string[]): TrustSettings {
  return { trust: "insecure", known: null, limits: { only: rules(...only), deny: rules(...deny) } };
}

const made = (input: ConnectionInput): Connection => makeConnection(input, new Date(0));

/** Who listens, and how often somebody came. */
class Ear {
  visits = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => {
      this.visits += 1;
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      // Whoever comes is told at once that this is nothing they know.
      socket.end("nothing\r\n\r\n");
    });
  }

  static async open(test: Test, host: string, port = 0): Promise<Ear> {
    const server = createServer().listen(port, host);
    await new Promise<void>((resolve, reject) => {
      server.once("listening", resolve).once("error", reject);
    });
    const ear = new Ear(server);
    test.teardown(() => {
      for (const socket of ear.#sockets) socket.destroy();
      server.close();
    });
    return ear;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }
}

/** Why a link ended. */
function endOf(input: ConnectionInput, trustSettings: TrustSettings): Promise<LinkError> {
  return new Promise((resolve) => {
    const connection = made(input);
    // On this thread, whose name server is the test's, RDP too.
    const link = makeTargetLink(connection, linkPartsOf(connection, [], trustSettings));
    link.open({ ...IGNORE_EVENTS, closed: resolve });
  });
}

t.test("no spelling of a denied address is reached in any way", async (t) => {
  t.ok(new Set(SPELLINGS).size >= 60, `${SPELLINGS.length} spellings`);
  const four = await Ear.open(t, "127.0.0.1");
  const six = await Ear.open(t, "::1", four.port);
  const hub = await Ear.open(t, "127.0.0.1");
  // Any other port of this machine stays allowed: the usual set-up.
  const limits = settings([], [`127.0.0.0/8:${four.port}`, `[::1]:${four.port}`, `127.0.0.0/8:1`]);
  for (const [way, goes] of Object.entries(WAYS)) {
    for (const spelling of SPELLINGS) {
      const code = await goes(spelling, four.port, hub.port, limits);
      t.ok(
        code === null || code === "target_forbidden" || code === "unreachable",
        `${way} ${JSON.stringify(spelling)}: ${code}`,
      );
    }
    t.equal(four.visits + six.visits + hub.visits, 0, `${way}: nobody came`);
    await goes("127.0.0.1", four.port, hub.port, settings([], []));
    t.ok(four.visits + hub.visits > 0, `${way}: without the rule somebody comes`);
    four.visits = 0;
    hub.visits = 0;
  }
});

t.test("a link in a thread keeps to the same limits", async (t) => {
  const ear = await Ear.open(t, "127.0.0.1");
  const end = (limits: TrustSettings): Promise<LinkError> =>
    new Promise((resolve) => {
      const connection = made({ ...RDP, host: "0x7f.1", port: ear.port });
      openTargetLink(connection, [], limits).open({ ...IGNORE_EVENTS, closed: resolve });
    });
  t.match(await end(settings([], ["rdp://127.0.0.0/8"])), { code: "target_forbidden", isFinal: true });
  t.equal(ear.visits, 0);
  await end(settings(["rdp://127.0.0.0/8"], ["vnc://*"]));
  t.equal(ear.visits, 1);
});

t.test(
  "a name that leads elsewhere the second time is judged each time, and never asked again",
  async (t) => {
    const good = await Ear.open(t, "127.0.0.1");
    const bad = await Ear.open(t, "127.0.0.2", good.port);
    const limits = settings([], ["127.0.0.2"]);
    const answers = { "rebind.test": 0 };
    const known = { callback: dns.lookup, promise: dnsPromises.lookup };
    const next = (): string => (answers["rebind.test"]++ % 2 === 0 ? "127.0.0.1" : "127.0.0.2");
    Object.assign(dnsPromises, {
      lookup: async () => [{ address: next(), family: 4 }],
    });
    // What a socket asks that is given a name instead of an address.
    let askedBySockets = 0;
    Object.assign(dns, {
      lookup: (host: string, ...rest: readonly unknown[]) => {
        // Listeners ask for the address that they are given.
        if (host !== "rebind.test") return Reflect.apply(known.callback, dns, [host, ...rest]);
        askedBySockets += 1;
        return Reflect.apply(known.callback, dns, ["127.0.0.2", ...rest]);
      },
    });
    syncBuiltinESMExports();
    t.teardown(() => {
      Object.assign(dns, { lookup: known.callback });
      Object.assign(dnsPromises, { lookup: known.promise });
      syncBuiltinESMExports();
    });
    for (const [way, goes] of Object.entries(WAYS)) {
      if (way === "behind a repeater") continue;
      answers["rebind.test"] = 0;
      good.visits = 0;
      const first = await goes("rebind.test", good.port, 0, limits);
      t.not(first, "target_forbidden", `${way}: the first answer is allowed`);
      t.ok(good.visits > 0, `${way}: and reached`);
      const second = await goes("rebind.test", good.port, 0, limits);
      t.equal(second, "target_forbidden", `${way}: the second answer is not`);
    }
    t.equal(bad.visits, 0);
    t.equal(askedBySockets, 0, "sockets get addresses");
  },
);

t.test(
  "of several answers one that is never a desktop spoils all, one that is allowed is taken",
  async (t) => {
    const ear = await Ear.open(t, "127.0.0.1");
    const known = dnsPromises.lookup;
    let found: readonly string[] = [];
    Object.assign(dnsPromises, {
      lookup: async () => found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    });
    syncBuiltinESMExports();
    t.teardown(() => {
      Object.assign(dnsPromises, { lookup: known });
      syncBuiltinESMExports();
    });
    const input = { protocol: "vnc", host: "many.test", port: ear.port } as const;
    found = ["127.0.0.1", "169.254.169.254"];
    t.match(await endOf(input, settings([], [])), { code: "target_forbidden" });
    t.equal(ear.visits, 0);
    found = ["::1", "127.0.0.1"];
    t.not((await endOf(input, settings(["127.0.0.0/8"], []))).code, "target_forbidden");
    t.equal(ear.visits, 1, "the one that the operator allows");
  },
);

t.test(
  "the debugging port of a browser on another machine is reached where the operator names it",
  async (t) => {
    const known = dnsPromises.lookup;
    // Nobody is there (RFC 5737): what matters is whether it was tried.
    Object.assign(dnsPromises, { lookup: async () => [{ address: "192.0.2.7", family: 4 }] });
    syncBuiltinESMExports();
    t.teardown(() => {
      Object.assign(dnsPromises, { lookup: known });
      syncBuiltinESMExports();
    });
    const reach = (only: readonly string[]) => ({ only: rules(...only), deny: [], own: [] });
    const place = { protocol: "browser", host: "far.test", port: 9222 } as const;
    await t.rejects(guardConnection(place, reach([])), {
      code: "target_forbidden",
      message: /targets\.only names it/,
    });
    // Its pages are another thing.
    await t.rejects(guardConnection(place, reach(["browser://*"])), { code: "target_forbidden" });
    t.match(await guardConnection(place, reach(["browser+cdp://192.0.2.0/24:9222"])), {
      address: "192.0.2.7",
    });
    t.equal(await guardConnection({ ...place, host: "" }, reach([])), null, "one of ours runs here");
    t.match(await endOf({ ...place }, settings([], [])), { code: "target_forbidden", isFinal: true });
  },
);

t.test("a server that comes by itself from a denied address is cut, and the next one is taken", async (t) => {
  const free = await Ear.open(t, "127.0.0.1");
  const { port } = free;
  const own: { port: number }[] = [];
  const reversePort = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });
  const link = openTargetLink(
    made({ protocol: "vnc", transport: "reverse", host: "127.0.0.1", port: reversePort }),
    own,
    settings([`127.0.0.3:${reversePort}`], []),
  );
  t.teardown(() => link.close());
  const ended = new Promise<LinkError>((resolve) => link.open({ ...IGNORE_EVENTS, closed: resolve }));
  const come = (localAddress: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect({ host: "127.0.0.1", port: reversePort, localAddress });
      let said = "";
      socket.on("error", (error) => {
        if ("code" in error && error.code === "ECONNREFUSED") setImmediate(() => resolve(come(localAddress)));
      });
      socket.on("data", (chunk) => {
        said += chunk.toString("latin1");
      });
      socket.on("connect", () => socket.write("RFB 003.008\n"));
      socket.on("data", () => socket.end("x"));
      socket.once("close", () => resolve(said));
    });
  t.equal(await come("127.0.0.2"), "", "cut without a word");
  t.same(own, [{ port: reversePort }], "a port that we listen on is ours");
  t.match(
    await new Promise<LinkError>((resolve) => {
      const self = made({ protocol: "vnc", host: "127.0.0.1", port: reversePort });
      openTargetLink(self, own, settings([], [])).open({ ...IGNORE_EVENTS, closed: resolve });
    }),
    { code: "target_forbidden", message: /this appliance itself/ },
  );
  t.equal(await come("127.0.0.3"), "RFB 003.008\n", "spoken to");
  t.not((await ended).code, "target_forbidden");
  t.same(own, [], "no longer");
});

t.test("Unix sockets are targets that can be denied", async (t) => {
  // A test's own folder has too long a name for a socket.
  const folder = await mkdtemp(join(tmpdir(), "oc-reach-"));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, "vnc.sock");
  const server = createServer((socket) => socket.end("nothing\r\n\r\n")).listen(path);
  let visits = 0;
  server.on("connection", () => {
    visits += 1;
  });
  await new Promise((resolve) => server.once("listening", resolve));
  t.teardown(() => server.close());
  const input = { protocol: "vnc", transport: "unix", path } as const;
  t.match(await endOf(input, settings([], ["unix:"])), { code: "target_forbidden" });
  t.match(await endOf(input, settings(["*"], [])), { code: "target_forbidden" });
  t.equal(visits, 0);
  t.not((await endOf(input, settings([`unix:${path}`], []))).code, "target_forbidden");
  t.equal(visits, 1);
});
