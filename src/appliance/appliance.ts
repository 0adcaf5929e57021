import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AuditEntry } from "../audit/audit-event.ts";
import { auditDesktops, testEntry } from "../audit/desktop-audit.ts";
import { auditMcp } from "../audit/mcp-audit.ts";
import { tokenEntry } from "../audit/token-audit.ts";
import { AnswerLinks } from "../auth/answer-links.ts";
import { Authenticator } from "../auth/authenticator.ts";
import { Lockout } from "../auth/lockout.ts";
import { OneTimeCodes, TICKETS } from "../auth/one-time-codes.ts";
import type { Principal } from "../auth/principal.ts";
import { TokenStore } from "../auth/tokens.ts";
import { PAINT_THREAD_URL, PaintThread } from "../compositor/paint-thread.ts";
import { checkConfig, isLoopbackHost } from "../config/check-config.ts";
import { type Config, DEMO } from "../config/config-schema.ts";
import { ConnectedTimes } from "../desktop/connections/connected-times.ts";
import { FileConnectionStore } from "../desktop/connections/connection-store.ts";
import { allowedTargets } from "../desktop/connections/target-rules.ts";
import { AgentRates } from "../desktop/control/agent-rates.ts";
import { RequestsStore } from "../desktop/control/requests/requests-store.ts";
import { RulesStore } from "../desktop/control/rules-store.ts";
import { Desktops } from "../desktop/desktops.ts";
import { maskOf } from "../desktop/masks/mask-on-wire.ts";
import { MasksStore } from "../desktop/masks/masks-store.ts";
import { warmUpPublishing } from "../framebuffer/warm-up.ts";
import { encodingPool } from "../imaging/encoding/encoding-pool.ts";
import { ControlSocket } from "../mcp/server/control-socket.ts";
import type { Mcp } from "../mcp/server/mcp.ts";
import { createMcp, type MakeServer } from "../mcp/server/server.ts";
import { systemClock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import { ownProgram } from "../platform/own-program.ts";
import { PACKAGE_FOLDER } from "../platform/package-folder.ts";
import { closeToOthers } from "../platform/private-file.ts";
import { VERSION } from "../platform/version.ts";
import { openThread } from "../platform/worker-thread.ts";
import { Replays } from "../recording/read/replays.ts";
import { openScreenReader } from "../vision/live/screen-reader.ts";
import { DesktopTexts } from "../vision/text/desktop-texts.ts";
import { buildApp } from "../web/http/app.ts";
import { ConnectedClients } from "../web/http/connected-clients.ts";
import type { ViewerSessions } from "../web/viewer/sessions.ts";
import { CloseStack } from "./close-stack.ts";
import { openDataFormat } from "./data-format.ts";
import { desktopLinks } from "./desktops/open-desktop-link.ts";
import { openViewers } from "./desktops/open-viewers.ts";
import { listenFault } from "./listen-fault.ts";
import { logDesktops } from "./log-desktops.ts";
import { openAnalysts } from "./open-analysts.ts";
import { openAudit, openAuditLog } from "./open-audit.ts";
import { openBrowsers } from "./open-browsers.ts";
import {
  forgetIdentity,
  identitiesOf,
  knownTargetsOf,
  limitsOf,
  ownListenersOf,
  PLATFORM,
  trustSettingsOf,
} from "./open-links.ts";
import { openMonitoring } from "./open-monitoring.ts";
import { openAccessTokens, openOidc } from "./open-oidc.ts";
import { openPush, openWebPushes } from "./open-push.ts";
import { openReader } from "./open-reader.ts";
import { openRecordings } from "./open-recordings.ts";
import { openSealer, openSecrets, secretPorts } from "./open-secrets.ts";
import { openSessions } from "./open-sessions.ts";
import { openTelemetryOf, toolHooks } from "./open-telemetry.ts";
import { openVnc } from "./open-vnc-listeners.ts";
import { SharedConnections } from "./shared-connections.ts";

/** A running appliance. */
export interface Appliance {
  /** Where the web app, REST, WebSockets and MCP are served: "http://127.0.0.1:3000". */
  readonly url: string;
  readonly agentToken: string;
  readonly mcp: Mcp;
  readonly desktops: Desktops;
  /** A code for `/?token=`, good once and for ten minutes. */
  signInCode(): string;
  close(): Promise<void>;
}

const CLIENT_DIR = fileURLToPath(new URL("dist/client/", PACKAGE_FOLDER));

/** Whoever may start a process under our user and speak MCP on its standard streams. */
export const STDIO_PRINCIPAL: Principal = { id: "stdio", name: "stdio", role: "agent" };

/** The composition root: opens every room and hands each what it needs of the others. */
export async function openAppliance(
  config: Config,
  log: Logger,
  makeMcpServer?: MakeServer,
): Promise<Appliance> {
  const closeStack = new CloseStack();
  try {
    return await openRooms(config, log, closeStack, makeMcpServer);
  } catch (error) {
    // What went wrong first is what has to be told.
    await closeStack.run().catch((err: unknown) => log.error({ err }, "Appliance did not close cleanly"));
    throw error;
  }
}

async function openRooms(
  config: Config,
  log: Logger,
  closeStack: CloseStack,
  makeMcpServer?: MakeServer,
): Promise<Appliance> {
  const certificate = await checkConfig(config);
  await mkdir(config.data_dir, { recursive: true, mode: 0o700 });
  if (await closeToOthers(config.data_dir)) {
    log.warn(
      { dataDir: config.data_dir },
      "Data directory was open to other users and is closed to them now",
    );
  }
  await openDataFormat(config.data_dir);
  const clock = systemClock;
  const platform = PLATFORM;

  const { audit, forwarders, auditArchive } = await openAudit(config, log, clock, closeStack);

  const isFleet = config.cluster.endpoints.length > 0;
  const shared = isFleet
    ? await (await import("./fleet/open-fleet.ts")).openFleet(config, log, clock, audit)
    : null;
  closeStack.add(() => shared?.close());
  const tokens = await TokenStore.open(
    config.data_dir,
    clock,
    (change, token) => audit.record(tokenEntry(change, token)),
    shared?.tokens,
  );
  closeStack.add(() => tokens.close());
  const codes = new OneTimeCodes(clock);
  const tickets = new OneTimeCodes(clock, TICKETS);
  const sealer = await openSealer(config);
  const sessionsOfPeople = await openSessions(config, log, { clock, sealer, shared: shared?.sessions });
  closeStack.add(() => sessionsOfPeople.close());
  const accessTokens = openAccessTokens(config, clock, shared?.signOuts ?? null);
  const oidc = openOidc(config, log, {
    ...{ sessions: sessionsOfPeople, clock, audit, sealer, shared },
    signedOut: async (personId, atS) => accessTokens?.signedOut(personId, atS),
  });
  closeStack.add(() => oidc?.close());
  const authenticator = new Authenticator({
    ...{ clock, tokens, sessions: sessionsOfPeople, codes, tickets },
    lockout: new Lockout(clock, shared?.lockouts.of("sign-in")),
    ownToken: config.auth.token ?? null,
    accessTokens: accessTokens ?? undefined,
  });
  if (config.auth.token === undefined)
    await tokens.kept(join(config.data_dir, "admin-token"), "admin", "admin");
  const agentToken = await tokens.kept(join(config.data_dir, "agent-token"), "agent", "agent");

  const own = ownListenersOf(config);
  const known = await knownTargetsOf(config, shared?.identities);
  const trustSettings = trustSettingsOf(config, known);
  const replays = new Replays();
  const { fleet = null } = shared ?? {};
  const openLink = desktopLinks({ clock, replays, closeStack, own, trustSettings, fleet });
  const painter = new PaintThread(clock, () => openThread("paint-worker", PAINT_THREAD_URL));
  closeStack.add(() => painter.close());
  closeStack.add(() => encodingPool.close());
  const reader = await openReader(config, clock);
  closeStack.add(() => reader.close());
  const texts = new DesktopTexts({ reader, timer: clock }, clock.date());
  closeStack.add(() => texts.close());
  warmUpPublishing();
  const secrets = await openSecrets(config, sealer, clock, shared);
  closeStack.add(() => secrets.close());
  const desktops: Desktops = new Desktops(
    {
      mode: config.mode,
      customRules: config.custom_rules,
      approvalExpiryMs: config.approvals.expiry_ms,
      approvalArmingMs: config.approvals.arming_ms,
      isFourEyes: config.approvals.four_eyes,
      requestExpiryMs: config.requests.expiry_ms,
      clipboard: config.clipboard,
      humanIdleMs: config.input.human_idle_ms,
    },
    {
      deflate: platform.deflate,
      jpeg: platform.jpeg,
      encoding: encodingPool,
      clock,
      random: Math.random,
      openLink,
      fileFolder: join(config.data_dir, "sending"),
      painter,
      onBug: (err) => log.error({ err }, "Listener failed"),
      rules:
        shared?.settings ??
        (await RulesStore.open(join(config.data_dir, "rules.json"), (err) =>
          log.error({ err }, "Rules could not be kept"),
        )),
      masks:
        shared?.masks ??
        (await MasksStore.open(join(config.data_dir, "masks.json"), sealer, (err) =>
          log.error({ err }, "Masks could not be kept"),
        )),
      ...(shared === null ? {} : { keepMasks: shared.masks }),
      requests:
        shared?.requests ??
        (await RequestsStore.open(join(config.data_dir, "requests.json"), sealer, (err) =>
          log.error({ err }, "Requests could not be kept"),
        )),
      configuredMasks: config.masks.map(({ desktop, ...mask }) => ({
        ...maskOf(mask),
        desktop: desktop ?? null,
      })),
      openTextReader: (id, events) => openScreenReader(id, { reader, timer: clock, secrets }, events),
      times: await ConnectedTimes.open(join(config.data_dir, "last-connected.json"), (err) =>
        log.error({ err }, "Times of connections could not be kept"),
      ),
      store:
        fleet ??
        new SharedConnections(new FileConnectionStore(join(config.data_dir, "connections.json"), sealer)),
      fleet: fleet ?? undefined,
      ownListeners: () => own,
      limits: limitsOf(config),
      secured: () => audit.secured(),
      secrets: secretPorts(secrets, texts, () => desktops),
      tested: (test) => audit.record(testEntry(test)),
      allowedTargets: config.targets.allow.flatMap((entry) => allowedTargets(entry) ?? []),
    },
  );
  closeStack.add(() => desktops.close());
  shared?.settings.follow(desktops);
  shared?.requests.follow(desktops);
  auditDesktops(desktops, (entry) => audit.record(entry));
  logDesktops(desktops, log);
  const isActive = (personId: string): boolean => authenticator.isActive({ id: personId });
  const answers = new AnswerLinks(clock, config.approvals.expiry_ms, isActive);
  const pushRooms = { log, clock, own, answers, record: (entry: AuditEntry) => audit.record(entry) };
  const pushes = openPush(config, pushRooms);
  closeStack.add(() => pushes.close());
  const webPushes = await openWebPushes(config, { ...pushRooms, pushes, sealer, isActive });
  closeStack.add(() => webPushes?.close());
  pushes.follow(desktops);
  const recordings = await openRecordings(config, log, desktops, {
    ...{ clock, sealer, replays, reader, own, audit, closeStack, fleet, shared },
  });

  const bridge = await openBrowsers(config, log, { audit, desktops, clock, own });
  closeStack.add(() => bridge.close());

  let viewers: ViewerSessions | null = null;
  const monitoring = openMonitoring(config, {
    audit,
    forwarders,
    desktops,
    recordings,
    ...{ clock, fleet, shared, auditArchive },
    sessions: () => viewers,
  });
  const { metrics } = monitoring;
  closeStack.add(() => monitoring.close());
  const telemetry = await openTelemetryOf(config, log, { desktops, metrics, clock, own });
  closeStack.add(() => telemetry?.close());
  const clients = new ConnectedClients(clock);
  desktops.on(({ type, desktop }) => {
    if (type === "removed") clients.forget(desktop.id);
  });
  const analysts = openAnalysts(config);
  const rates = new AgentRates(clock, {
    isOn: config.rate_limits.enabled,
    rates: config.rate_limits,
    ofRoles: config.rate_limits.roles,
  });
  const mcpAudit = auditMcp((entry) => audit.record(entry), clock);
  const mcp = createMcp(
    {
      desktops,
      recordings,
      clock,
      log,
      version: VERSION,
      rates,
      toolsets: config.mcp.toolsets,
      screenshots: {
        memoryBytes: config.screenshots.memory_mb * 2 ** 20,
        keepMs: config.screenshots.keep_minutes * 60_000,
      },
      questions: desktops.questions,
      painter,
      reader,
      languages: () => reader.languages(),
      texts,
      ...(analysts === null ? {} : { analysts }),
      onAnalysis: (analysis) => mcpAudit.analyzed(analysis),
      browsers: bridge,
      ...(fleet === null ? {} : { fleet }),
      onClient: ({ name }) => clients.add(name),
      ...toolHooks({ clients, mcpAudit, metrics, telemetry }),
      secured: () => audit.secured(),
      onPicture: (picture) => mcpAudit.pictured(picture),
    },
    makeMcpServer,
  );
  closeStack.add(() => mcp.close());

  const record = (entry: AuditEntry): void => audit.record(entry);
  const parts = { rfb: platform, clock, metrics, self: fleet?.name ?? "", audit: record };
  const { sessions, far } = openViewers(config, log, parts);
  viewers = sessions;
  closeStack.add(() => far.close());
  const [command, ...args] = ownProgram();
  const app = buildApp({
    desktops,
    recordings,
    replays,
    authenticator,
    tokens,
    secrets,
    ...{ tickets, answers },
    ...(webPushes === null ? {} : { push: webPushes }),
    ...(oidc === null ? {} : { oidc }),
    ...(accessTokens === null ? {} : { accessTokens }),
    audit,
    ...(shared === null ? {} : { fleet: shared.fleet, settings: shared.settings, asked: shared.requests }),
    auditRequests: config.audit.requests,
    auditLog: await openAuditLog(config),
    mcp,
    rfb: {
      attach: (socket, desktopId, options, principal, stream) => {
        sessions.attach(socket, desktops.get(desktopId), options, principal, stream);
      },
      attachFar: (...viewer) => far.attach(...viewer),
    },
    clients,
    browsers: bridge,
    monitoring: { metrics: () => metrics.text(), readiness: monitoring.readiness },
    forgetIdentity: (connection, shown) => forgetIdentity(connection, trustSettings, shown),
    identitiesOf: (connection) => identitiesOf(connection, trustSettings),
    logger: log,
    clock,
    version: VERSION,
    clientDir: CLIENT_DIR,
    agentToken: ({ id, name }) => tokens.kept(join(config.data_dir, "agent-tokens", id), name, "agent"),
    stdio: { command, args: [...args, "--stdio"] },
    host: config.server.host,
    allowedHosts: config.server.allowed_hosts,
    corsOrigins: config.server.cors_origins,
    basePath: config.server.base_path,
    trustProxy: config.server.trust_proxy,
    rateTiers: { isOn: config.rate_limits.enabled, tiers: config.rate_limits },
    rates,
    tls: certificate,
  });

  closeStack.add(() => app.close());
  closeStack.add(() => sessions.close());

  // Before anybody can ask: whoever finds the server up finds its desktops and its VNC ports.
  await desktops.open(config.connections, isFleet ? undefined : DEMO);
  const { host } = config.server;
  const rooms = { sessions, far, platform, desktops, authenticator, audit, certificate, shared };
  const vnc = await openVnc(config, log, rooms, own, isLoopbackHost(host));
  for (const listener of vnc) closeStack.add(() => listener.close());
  try {
    await app.listen({ host, port: config.server.port });
  } catch (error) {
    throw listenFault(error, { key: "server.port", flag: "--port" }, host, config.server.port);
  }
  const address = app.server.address();
  const port = address !== null && typeof address === "object" ? address.port : config.server.port;
  own.push({ port });
  await shared?.serve({ desktops, url: urlOf(config, port), app: app.server, own });
  closeStack.add(() => shared?.close());
  const control = await ControlSocket.open(config.data_dir, mcp, STDIO_PRINCIPAL);
  if (control === null) log.warn("Another server serves --stdio clients of this data directory");
  if (control !== null) own.push({ path: control.path });
  closeStack.add(() => control?.close());

  return {
    url: urlOf(config, port),
    agentToken,
    mcp,
    desktops,
    signInCode: () => codes.issue({ id: "first-sign-in", name: "admin", role: "admin" }),
    close: () => closeStack.run(),
  };
}

function urlOf({ server }: Config, port: number): string {
  const scheme = server.tls_cert === undefined ? "http" : "https";
  const isAny = server.host === "0.0.0.0" || server.host === "::";
  const host = isAny ? "127.0.0.1" : server.host;
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}${server.base_path}`;
}
