import { createServer } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client2025 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport2025 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import t, { type Test } from "tap";
import * as z from "zod";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import type { Principal } from "../../../src/auth/principal.ts";
import type { Action, Actor } from "../../../src/desktop/control/action.ts";
import { AgentRates } from "../../../src/desktop/control/agent-rates.ts";
import type { Approval } from "../../../src/desktop/control/approvals/approvals.ts";
import { Desktops } from "../../../src/desktop/desktops.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { Elicitation } from "../../../src/mcp/server/elicitation.ts";
import { createMcp } from "../../../src/mcp/server/server.ts";
import { type Clock, systemClock } from "../../../src/platform/clock.ts";
import { FakeLink } from "../../desktop/fake-link.ts";
import { until } from "../../support/until.ts";

const HUMAN: Actor = { kind: "human", id: "h", name: "Ann" };
const GRANTED: Principal = {
  id: "granted",
  name: "granted agent",
  role: "agent",
  mayElicit: true,
  owner: "alice",
};
const PLAIN: Principal = { id: "plain", name: "plain agent", role: "agent" };
const CLICK = { name: "click_at", arguments: { x: 10, y: 20, intent: "open it", effect_timeout_ms: 0 } };

const CLICK_ACTION: Action = { kind: "click", x: 10, y: 20, button: "left", clicks: 1, holdKeysyms: [] };

type Answer = { action: "accept" | "decline" | "cancel"; content?: { approve: boolean } };
const YES: Answer = { action: "accept", content: { approve: true } };

const resultSchema = z.looseObject({
  isError: z.boolean().optional(),
  structuredContent: z.looseObject({
    was_confirmed: z.boolean().optional(),
    error: z.looseObject({ code: z.string() }).optional(),
  }),
});

/** Time passes only in what is waited for: however long a busy machine takes, an answer given at once takes none. */
function waitedClock(): Clock {
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    date: () => systemClock.date(),
    after(delayMs, call, options) {
      const endMs = nowMs + delayMs;
      const end = (): void => {
        nowMs = Math.max(nowMs, endMs);
        call();
      };
      return systemClock.after(delayMs, end, options);
    },
  };
}

/** A live desktop in assist mode behind a real MCP face on a real port. */
async function open(test: Test, approvalArmingMs = 0, clock: Clock = systemClock, isFourEyes = false) {
  const link = new FakeLink();
  const desktops = new Desktops(
    { mode: "assist", approvalExpiryMs: 45_000, approvalArmingMs, isFourEyes },
    {
      ...PLATFORM,
      clock,
      random: () => 0.5,
      onBug: (error) => test.error(error),
      openLink: () => link,
      store: { load: async () => [], save: async () => undefined },
      ownListeners: () => [],
    },
  );
  await desktops.open([{ id: "d1", protocol: "vnc", host: "host.example" }]);
  link.goLive();
  const mcp = createMcp({
    desktops,
    clock,
    log: { warn: () => undefined, error: (fields) => test.fail("logged an error", fields) },
    version: "1",
    audit: () => undefined,
    rates: new AgentRates(clock, { isOn: false }),
    questions: desktops.questions,
  });
  const server = createServer((req, res) => {
    const principal = req.headers.authorization === "Bearer granted" ? GRANTED : PLAIN;
    void mcp.handle(req, res, undefined, principal, "https://gate.example:8443");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const url = new URL(`http://127.0.0.1:${address.port}/mcp`);
  test.teardown(async () => {
    await mcp.close();
    server.closeAllConnections();
    server.close();
    await desktops.close();
  });
  /** Resolves with the next question, however it is put. */
  const asked = (): Promise<Approval> => {
    const [first] = desktops.questions.pending;
    if (first !== undefined) return Promise.resolve(first);
    return new Promise((resolve) => {
      const stop = desktops.questions.on((approval) => {
        stop();
        resolve(approval);
      });
    });
  };
  return { desktops, link, url, asked };
}

interface Asker {
  call(call?: typeof CLICK): Promise<z.infer<typeof resultSchema>>;
}

/** An MCP client of either era that answers what it is asked. */
async function client(
  test: Test,
  url: URL,
  era: string,
  answer: ((message: string, signal: AbortSignal) => Promise<Answer>) | null,
  token = "granted",
  elicitation: { form?: Record<string, never>; url?: Record<string, never> } = {},
  completed: (elicitationId: string) => void = () => undefined,
): Promise<Asker> {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const capabilities = answer === null ? {} : { elicitation };
  if (era === "2025-11-25") {
    const made = new Client2025({ name: "test", version: "1" }, { capabilities });
    if (answer !== null) {
      made.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => answer(saidIn(params), signal));
      made.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) =>
        completed(params.elicitationId),
      );
    }
    const transport = new Transport2025(url, { requestInit });
    await made.connect(transport);
    test.teardown(() => made.close());
    return { call: async (call = CLICK) => resultSchema.parse(await made.callTool(call)) };
  }
  const made = new Client(
    { name: "test", version: "1" },
    { capabilities, versionNegotiation: { mode: { pin: era } } },
  );
  if (answer !== null) {
    made.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) =>
      answer(saidIn(params), mcpReq.signal),
    );
  }
  await made.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  test.teardown(() => made.close());
  return { call: async (call = CLICK) => resultSchema.parse(await made.callTool(call)) };
}

/** The message, with the page's address where there is one: "open ADDRESS" before it. */
function saidIn(params: { message: string; url?: unknown }): string {
  return typeof params.url === "string" ? `open ${params.url}\n${params.message}` : params.message;
}

for (const era of ["2025-11-25", "2026-07-28"]) {
  t.test(`${era}: a client that opens pages is sent to the card, where alone a yes is given`, async (t) => {
    const { link, url, desktops, asked } = await open(t);
    const messages: string[] = [];
    const completed: string[] = [];
    const agent = await client(
      t,
      url,
      era,
      async (message) => {
        messages.push(message);
        return { action: "accept", content: { approve: true } };
      },
      "granted",
      { form: {}, url: {} },
      (id) => completed.push(id),
    );
    const work = agent.call();
    const { id } = await asked();
    await until("the question", () => messages.length === 1);
    t.match(messages[0], `open https://gate.example:8443/approvals?card=${id}\nClick left at 10,20?`);
    t.equal(desktops.questions.pending.length, 1);
    t.notOk(link.said.some((line) => line.startsWith("pointer")));
    desktops.questions.decide(id, { kind: "approve" }, HUMAN);
    t.equal((await work).structuredContent.was_confirmed, true);
    t.equal(messages.length, 1, "and is asked once");
    if (era === "2025-11-25") {
      await until("word that the page is done with", () => completed.length > 0);
      t.same(completed, [id], "the client is told that the page is done with");
    }
  });

  t.test(`${era}: a client that opens pages says no without opening one`, async (t) => {
    const { link, url } = await open(t);
    const agent = await client(t, url, era, async () => ({ action: "decline" }), "granted", { url: {} });
    t.equal((await agent.call()).structuredContent.error?.code, "denied_by_human");
    t.notOk(link.said.some((line) => line.startsWith("pointer")));
  });

  t.test(`${era}: the person at the agent's client says yes, and the click is done once`, async (t) => {
    const { link, url, desktops } = await open(t);
    const messages: string[] = [];
    const agent = await client(t, url, era, async (message) => {
      messages.push(message);
      t.same(
        link.said.filter((line) => line.startsWith("pointer")),
        [],
        "nothing is sent before the answer",
      );
      return YES;
    });
    t.equal((await agent.call()).structuredContent.was_confirmed, true);
    t.match(messages, [
      /Click left at 10,20\?[\s\S]*open it[\s\S]*\nThe picture of the place: https:\/\/gate\.example:8443\/approvals\?card=[0-9a-f-]{36}\n/,
    ]);
    t.same(
      link.said.filter((line) => line.startsWith("pointer")),
      ["pointer 10,20 0", "pointer 10,20 1", "pointer 10,20 0"],
    );
    t.match(desktops.get("d1").actions.at(-1), { outcome: "done", wasConfirmed: true });
  });

  t.test(`${era}: a yes before anybody can have read the question is asked for again`, async (t) => {
    const { link, url, desktops } = await open(t, 100, waitedClock());
    let times = 0;
    const agent = await client(t, url, era, async () => {
      times++;
      t.equal(desktops.questions.pending.length, 1);
      t.notOk(link.said.some((line) => line.startsWith("pointer")));
      return YES;
    });
    t.equal((await agent.call()).structuredContent.was_confirmed, true);
    t.equal(times, 2);
    const denied = await client(t, url, era, async () => ({ action: "decline" }));
    t.equal((await denied.call()).structuredContent.error?.code, "denied_by_human", "a no is heard at once");
  });

  t.test(`${era}: no, dismissed, or a form without a yes are all no`, async (t) => {
    const { link, url } = await open(t);
    const answers: Answer[] = [
      { action: "decline" },
      { action: "cancel" },
      { action: "accept", content: { approve: false } },
    ];
    const agent = await client(t, url, era, async () => answers.shift() ?? YES);
    for (let i = 0; i < 3; i++) {
      t.equal((await agent.call()).structuredContent.error?.code, "denied_by_human");
    }
    t.notOk(link.said.some((line) => line.startsWith("pointer")));
  });

  t.test(`${era}: a token without the right is never asked; the viewer decides`, async (t) => {
    const { url, desktops, asked } = await open(t);
    const agent = await client(
      t,
      url,
      era,
      async () => {
        t.fail("was asked");
        return YES;
      },
      "plain",
    );
    const work = agent.call();
    desktops.questions.decide((await asked()).id, { kind: "approve" }, HUMAN);
    t.equal((await work).structuredContent.was_confirmed, true);
  });

  t.test(`${era}: a client that cannot ask leaves the question to the viewer`, async (t) => {
    const { url, desktops, asked } = await open(t);
    const agent = await client(t, url, era, null);
    const work = agent.call();
    desktops.questions.decide((await asked()).id, { kind: "deny" }, HUMAN);
    t.equal((await work).structuredContent.error?.code, "denied_by_human");
  });

  t.test(`${era}: whoever is first decides, and a screen that changed meanwhile is stale`, async (t) => {
    const { url, desktops, link, asked } = await open(t);
    let answer: (answer: Answer) => void = () => undefined;
    const agent = await client(
      t,
      url,
      era,
      (_message, signal) =>
        new Promise((resolve) => {
          answer = resolve;
          signal.addEventListener("abort", () => resolve({ action: "cancel" }));
        }),
    );
    const denied = agent.call();
    desktops.questions.decide((await asked()).id, { kind: "deny" }, HUMAN);
    const raced = await Promise.race([denied, keepAnswering(() => answer(YES))]);
    t.equal(raced?.structuredContent.error?.code, "denied_by_human", "a late yes changes nothing");
    const stale = agent.call();
    await asked();
    link.paint(rect(11, 21, 2, 2), 0xffffff);
    t.equal(
      (await Promise.race([stale, keepAnswering(() => answer(YES))]))?.structuredContent.error?.code,
      "stale_screen",
    );
  });
}

for (const era of ["2025-11-25", "2026-07-28"]) {
  t.test(`${era}: under four eyes the person at the agent's client is not asked`, async (t) => {
    const { url, desktops, link, asked } = await open(t, 0, systemClock, true);
    const agent = await client(t, url, era, async () => {
      t.fail("was asked");
      return YES;
    });
    const work = agent.call();
    const { id, actor } = await asked();
    t.match(actor, { person: "alice" });
    t.throws(() => desktops.questions.decide(id, { kind: "approve" }, { ...HUMAN, person: "alice" }), {
      code: "permission_denied",
    });
    t.notOk(link.said.some((line) => line.startsWith("pointer")));
    desktops.questions.decide(id, { kind: "approve" }, { ...HUMAN, person: "bob" });
    t.equal((await work).structuredContent.was_confirmed, true);
  });
}

for (const isModern of [false, true]) {
  t.test(`who opens a page has agreed to nothing: ${isModern ? "2026-07-28" : "2025-11-25"}`, async (t) => {
    const { desktops, link, asked } = await open(t);
    const { questions } = desktops;
    const elicitation = new Elicitation({ questions, clock: systemClock });
    t.teardown(() => elicitation.close());
    const agent: Actor = { kind: "agent", id: "granted", name: "granted agent" };
    const sealed: unknown[] = [];
    let questionsPut = 0;
    const call = (state: unknown, inputResponses: Record<string, unknown>) =>
      elicitation.call({
        principal: GRANTED,
        context: {
          mcpReq: {
            ...(isModern ? { envelope: {} } : {}),
            signal: new AbortController().signal,
            requestState: () => state,
            inputResponses,
            elicitInput: async () => {
              questionsPut++;
              return YES;
            },
          },
        },
        capabilities: { elicitation: { url: {} } },
        mint: async (made) => `${sealed.push(made)}`,
        tool: "click_at",
        args: {},
        baseUrl: "https://gate.example:8443",
        completed: async () => undefined,
        run: async (signal) => {
          await desktops.get("d1").perform(CLICK_ACTION, agent, { signal });
          return { content: [], structuredContent: { isDone: true } };
        },
      });
    const first = call(undefined, {});
    const { id } = await asked();
    if (isModern) t.match(await first, { resultType: "input_required" });
    const work = isModern ? call(sealed[0], { approve: YES }) : first;
    // All that comes of the answer comes without waiting for anything outside: it is over after a turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));
    t.equal(questionsPut, isModern ? 0 : 1);
    if (isModern) await t.rejects(call(sealed[0], { approve: YES }), /requestState/, "the answer was taken");
    t.same(
      questions.pending.map((approval) => approval.id),
      [id],
    );
    t.notOk(link.said.some((line) => line.startsWith("pointer")));
    questions.decide(id, { kind: "approve" }, HUMAN);
    t.match(await work, { structuredContent: { isDone: true } });
  });
}

/** Answers again and again, for a client whose question may not have arrived yet; never resolves. */
function keepAnswering(answer: () => void): Promise<null> {
  return new Promise(() => {
    const timer = setInterval(answer, 20);
    timer.unref();
  });
}

t.test("what a 2026 client must bring back is bound to it, its arguments and one use", async (t) => {
  const { url, link } = await open(t);
  const post = async (token: string, params: object): Promise<z.infer<typeof rpcSchema>> => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "click_at",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          ...params,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
          },
        },
      }),
    });
    const text = await response.text();
    const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
    return rpcSchema.parse(JSON.parse(data));
  };
  const first = await post("granted", CLICK);
  t.equal(first.result?.resultType, "input_required");
  const requestState = first.result?.requestState ?? "";
  const inputResponses = { approve: YES };
  const refused = async (why: string, token: string, params: object): Promise<void> => {
    t.equal((await post(token, params)).error?.code, -32_602, why);
    t.notOk(
      link.said.some((line) => line.startsWith("pointer")),
      why,
    );
  };
  await refused("another principal", "plain", { ...CLICK, requestState, inputResponses });
  await refused("other arguments", "granted", {
    ...CLICK,
    arguments: { ...CLICK.arguments, x: 150 },
    requestState,
    inputResponses,
  });
  await refused("a forged state", "granted", {
    ...CLICK,
    requestState: `${requestState.slice(0, -4)}AAAA`,
    inputResponses,
  });
  const done = await post("granted", { ...CLICK, requestState, inputResponses });
  t.equal(done.result?.structuredContent?.["was_confirmed"], true);
  link.said.length = 0;
  await refused("a second time", "granted", { ...CLICK, requestState, inputResponses });
});

const rpcSchema = z.looseObject({
  result: z
    .looseObject({
      resultType: z.string().optional(),
      requestState: z.string().optional(),
      structuredContent: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  error: z.looseObject({ code: z.number() }).optional(),
});
