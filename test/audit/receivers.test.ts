import { once } from "node:events";
import { createServer as createHttp } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { hostname } from "node:os";
import t, { type Test } from "tap";
import { makeReceivers } from "../../src/appliance/open-forwarders.ts";
import { HttpReceiver } from "../../src/audit/forward/http-receiver.ts";
import type { SentLine } from "../../src/audit/forward/log-reader.ts";
import { exportRequest, OtlpReceiver } from "../../src/audit/forward/otlp-receiver.ts";
import { ReceiverError } from "../../src/audit/forward/receiver.ts";
import { SyslogReceiver } from "../../src/audit/forward/syslog-receiver.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { eventOf } from "./file-sink.ts";
import { Collector, forwarded, httpTo, sendAnywhere } from "./forward-house.ts";

function lineOf(seq: number, name = "Ann"): SentLine {
  const event = eventOf({
    type: "approval.granted",
    severity: "notice",
    actor: { id: "u1", name, kind: "human", role: "admin", ip: "192.0.2.7" },
    resource: { kind: "desktop", id: "d1" },
  });
  return { seq, text: JSON.stringify({ ...event, chain: { seq, prev: "p", mac: "m" } }) };
}

/** Tests talk to loopback, whatever it is. */
const judge = async (address: string) => ({ address });

async function listening(t: Test, server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

t.test("OTLP: one record for each line, in OTLP's JSON", (t) => {
  const line = lineOf(12);
  const { event_id } = JSON.parse(line.text);
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  t.strictSame(exportRequest([line], "2026.11.21"), {
    resourceLogs: [
      {
        resource: {
          attributes: [
            text("service.name", "overlay-companion"),
            text("service.version", "2026.11.21"),
            text("host.name", hostname()),
          ],
        },
        scopeLogs: [
          {
            scope: { name: "overlay-companion.audit" },
            logRecords: [
              {
                timeUnixNano: "1795219200000000000",
                severityNumber: 10,
                severityText: "notice",
                eventName: "approval.granted",
                body: { stringValue: line.text },
                attributes: [
                  text("event.id", event_id),
                  text("audit.outcome", "success"),
                  text("user.id", "u1"),
                  text("user.name", "Ann"),
                  text("client.address", "192.0.2.7"),
                  text("audit.resource.kind", "desktop"),
                  text("audit.resource.id", "d1"),
                  text("audit.seq", "12"),
                ],
              },
            ],
          },
        ],
      },
    ],
  });
  t.end();
});

t.test("OTLP: what a collector refuses for good is counted, and a no is told", async (t) => {
  let answer = { status: 200, text: '{"partialSuccess":{"rejectedLogRecords":"2"}}' };
  const asked: string[] = [];
  const server = createHttp((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers["content-type"]}`);
    request
      .resume()
      .on("end", () => response.writeHead(answer.status, { "retry-after": "7" }).end(answer.text));
  });
  const port = await listening(t, server);
  const receiver = new OtlpReceiver(`http://127.0.0.1:${port}`, null, "1", sendAnywhere);
  t.same(await receiver.send([lineOf(1), lineOf(2), lineOf(3)]), { refused: 2 });
  answer = { status: 200, text: "" };
  t.same(await receiver.send([lineOf(1)]), { refused: 0 });
  answer = { status: 429, text: "slow down" };
  await t.rejects(receiver.send([lineOf(1)]), { message: /answered 429/, pauseMs: 7000 });
  t.same(new Set(asked), new Set(["POST /v1/logs application/json"]));
});

t.test(
  "HTTP: events are told in the words of the schema that is configured, other lines as they are",
  async (t) => {
    let got = "";
    const server = createHttp((request, response) => {
      got = "";
      request.setEncoding("utf8").on("data", (part: string) => {
        got += part;
      });
      request.on("end", () => response.end());
    });
    const endpoint = `http://127.0.0.1:${await listening(t, server)}/`;
    const foreign = { seq: 2, text: '{"event_type":"of.another.version"}' };
    for (const [format, expected] of [
      ["ecs", { event: { action: "approval.granted", sequence: 1 }, ecs: { version: "8.11.0" } }],
      ["ocsf", { class_uid: 6003, metadata: { event_code: "approval.granted", sequence: 1 } }],
      ["native", { event_type: "approval.granted", chain: { seq: 1 } }],
    ] as const) {
      const receiver = new HttpReceiver({ endpoint, apiKey: null, format, send: sendAnywhere });
      await receiver.send([lineOf(1), foreign]);
      const [first = "", second] = got.split("\n");
      t.match(JSON.parse(first), expected, format);
      t.equal(second, foreign.text);
    }
  },
);

t.test("HTTP: a redirect is not followed, for the key would go along", async (t) => {
  const thief = await Collector.open(t);
  const server = createHttp((request, response) => {
    request.resume().on("end", () => response.writeHead(307, { location: thief.url }).end());
  });
  const port = await listening(t, server);
  const receiver = new HttpReceiver({
    endpoint: `http://127.0.0.1:${port}/`,
    apiKey: "hush",
    send: sendAnywhere,
  });
  await t.rejects(receiver.send([lineOf(1)]), { message: /answered 307/ });
  t.same(thief.keys, []);
});

t.test(
  "HTTP and OTLP: nothing goes where an operator lets no desktop be, nor to a cloud's own services",
  async (t) => {
    let asked = 0;
    const server = createHttp((request, response) => {
      asked++;
      request.resume().on("end", () => response.end());
    });
    const url = `http://127.0.0.1:${await listening(t, server)}/`;
    const configured = (endpoint: string, deny?: string) => {
      const env = {
        ...{ AUDIT_HTTP_ENDPOINT: endpoint, AUDIT_OTLP_ENDPOINT: endpoint },
        ...(deny === undefined ? {} : { OC_TARGETS_DENY: deny }),
      };
      const config = loadConfig({
        env,
        flags: {},
        file: undefined,
        connect: [],
        isDemo: false,
        isStdio: false,
      });
      return makeReceivers(config, systemClock);
    };
    for (const receiver of configured(url)) await receiver.send([lineOf(1)]);

    t.equal(asked, 2, "both reach it");
    for (const [endpoint, deny] of [
      [url, "127.0.0.0/8"],
      ["http://169.254.169.254/latest/meta-data/", undefined],
      ["http://[::ffff:169.254.169.254]/", undefined],
    ] as const) {
      const receivers = configured(endpoint, deny);
      t.equal(receivers.length, 2);
      for (const receiver of receivers) {
        await t.rejects(receiver.send([lineOf(1)]), {
          name: "ReceiverError",
          message: "lies where nothing is sent to",
        });
      }
    }
    t.equal(asked, 2);
  },
);

t.test("syslog: RFC 5424 messages with octet counts; the end of the other side is its receipt", async (t) => {
  let text = "";
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    socket.once("end", () => socket.end());
  });
  const port = await listening(t, server);
  const receiver = new SyslogReceiver({ host: "127.0.0.1", port, tls: null, clock: systemClock, judge });
  const lines = [lineOf(1), lineOf(2, "Änn")];
  t.same(await receiver.send(lines), { refused: 0 });
  for (const { text: line } of lines) {
    const message = `<109>1 2026-11-21T00:00:00.000Z ${hostname()} overlay-companion ${process.pid} approval.granted - ${line}`;
    const frame = `${Buffer.byteLength(message)} ${message}`;
    t.ok(text.startsWith(frame));
    text = text.slice(frame.length);
  }
  t.equal(text, "");
});

t.test(
  "syslog: nothing goes where an operator lets no desktop be, nor to a cloud's own services",
  async (t) => {
    let connections = 0;
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      connections++;
      socket.resume().once("end", () => socket.end());
    });
    const port = await listening(t, server);
    const configured = (endpoint: string, deny: string | undefined) =>
      makeReceivers(
        loadConfig({
          env: { AUDIT_SYSLOG_ENDPOINT: endpoint, OC_TARGETS_DENY: deny },
          flags: {},
          file: undefined,
          connect: [],
          isDemo: false,
          isStdio: false,
        }),
        systemClock,
      );
    for (const [endpoint, deny] of [
      [`tcp://127.0.0.1:${port}`, "127.0.0.0/8"],
      [`tls://127.0.0.1:${port}`, "127.0.0.0/8"],
      ["tcp://169.254.169.254:514", undefined],
      ["tcp://[::ffff:169.254.169.254]:514", undefined],
    ] as const) {
      const [receiver, ...others] = configured(endpoint, deny);
      t.equal(others.length, 0);
      if (receiver === undefined) throw new Error("no receiver was made");
      await t.rejects(receiver.send([lineOf(1)]), {
        name: "ReceiverError",
        message: "lies where nothing is sent to",
      });
    }
    t.equal(connections, 0);
    const [allowed] = configured(`tcp://127.0.0.1:${port}`, undefined);
    t.same(await allowed?.send([lineOf(1)]), { refused: 0 });
    t.equal(connections, 1, "where it may it still goes");
  },
);

t.test("syslog: who is gone before it has read all has nothing", async (t) => {
  const lines = Array.from({ length: 512 }, (_, nth) => lineOf(nth));
  const ways: readonly ((socket: Socket) => void)[] = [
    (socket) => socket.destroy(),
    (socket) => socket.once("data", () => socket.resetAndDestroy()),
    (socket) => socket.once("data", () => socket.destroy()),
  ];
  for (const way of ways) {
    const port = await listening(
      t,
      createServer((socket) => {
        socket.on("error", () => undefined);
        way(socket);
      }),
    );
    await t.rejects(
      new SyslogReceiver({ host: "127.0.0.1", port, tls: null, clock: systemClock, judge }).send(lines),
      ReceiverError,
    );
  }
});

t.test("two receivers of one log are served apart", async (t) => {
  const dir = t.testdir();
  const collector = await Collector.open(t);
  const { write } = await forwarded(t, dir, httpTo(collector));
  await write(2);
  t.same(collector.unique, [1, 2]);
  let frames = 0;
  const port = await listening(
    t,
    createServer((socket) => {
      socket.on("data", () => frames++).once("end", () => socket.end());
    }),
  );
  const second = await forwarded(
    t,
    dir,
    new SyslogReceiver({ host: "127.0.0.1", port, tls: null, clock: systemClock, judge }),
  );
  await second.forwarder.flush();
  t.match(second.forwarder.state, { name: "syslog", isWorking: true, waitingBytes: 0 });
  t.ok(frames > 0, "from the begin of the log, not from where the other is");
});
