import { X509Certificate } from "node:crypto";
import { access, constants, stat, statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { archiveBucketOf } from "../appliance/open-archive.ts";
import { makeReceivers } from "../appliance/open-forwarders.ts";
import { ownListenersOf } from "../appliance/open-links.ts";
import { openidProviderOf } from "../appliance/open-oidc.ts";
import { pushReach } from "../appliance/open-push.ts";
import { checkConfig } from "../config/check-config.ts";
import type { Config } from "../config/config-schema.ts";
import type { Connection } from "../desktop/connections/connection.ts";
import type { TestReport } from "../desktop/connections/connection-test.ts";
import { systemClock } from "../platform/clock.ts";
import { VERSION } from "../platform/version.ts";
import { guardedLook } from "../push/guarded-post.ts";
import { listLanguages, readModel } from "../vision/models.ts";
import { findTesseract, INSTALL_LINE, languagesOf } from "../vision/tesseract-program.ts";
import { LIVE_LANGUAGES } from "../vision/text/engine-lines.ts";
import { INSTALL_LINE as FFMPEG_LINE, tryFilmEncoder } from "../web/viewer/film/film-encoder.ts";

/** What was looked at, what is so, and what to do where it is wrong. */
export interface Finding {
  readonly part: string;
  readonly ok: boolean;
  readonly detail: string;
  /** null where nothing is to be done. */
  readonly advice: string | null;
}

const OLDEST_NODE = [20, 19] as const;
const MIB = 2 ** 20;
const ARCHIVE_WITHIN_MS = 15_000;
const DAY_MS = 86_400_000;
/** A certificate that ends sooner is told of. */
const CERTIFICATE_DAYS = 14;
/** Files of a clock that ran so far ahead are no accident. */
const AHEAD_MS = 60_000;

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const expected = OLDEST_NODE.join(".");
  return isNew
    ? well("node", version)
    : wrong("node", `${version}, expected ${expected} or later`, `install Node ${expected} or later`);
}

/** That it is there, is ours to write, and open to nobody else. */
export async function checkDataDir({ data_dir }: Config): Promise<Finding> {
  const part = "data folder";
  try {
    const found = await stat(data_dir);
    if (!found.isDirectory())
      return wrong(part, `${data_dir} is no folder`, "choose another place with --data-dir");
    await access(data_dir, constants.R_OK | constants.W_OK | constants.X_OK);
    const isOpen = process.platform !== "win32" && (found.mode & 0o077) !== 0;
    if (isOpen) return wrong(part, `${data_dir} is open to other users`, `run chmod 700 ${data_dir}`);
    return well(part, data_dir);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return well(part, `${data_dir} is made at the first start`);
    return wrong(part, reasonOf(error), "check whose it is, and as whom this runs");
  }
}

export async function checkDisk({ data_dir, recording }: Config): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(data_dir);
    const free = Math.floor((bavail * bsize) / MIB);
    if (free >= recording.disk_floor_mb) return well("disk", `${free} MiB free`);
    return wrong(
      "disk",
      `${free} MiB free, recordings leave ${recording.disk_floor_mb}`,
      "make room, or lower recording.disk_floor_mb",
    );
  } catch (error) {
    if (hasCode(error, "ENOENT")) return well("disk", "looked at when the data folder is there");
    return wrong("disk", reasonOf(error), "check that the disk is mounted");
  }
}

/** The release's own date and files written by us are never of a time to come. */
export async function checkClock(
  { data_dir }: Config,
  nowMs = systemClock.date().getTime(),
): Promise<Finding> {
  const advice =
    "set the clock of this machine, by NTP best: certificates, tokens and the audit log depend on it";
  const [year = 0, month = 1, day = 1] = VERSION.split(".").map(Number);
  const now = new Date(nowMs).toISOString();
  if (nowMs < Date.UTC(year, month - 1, day) - DAY_MS)
    return wrong("clock", `${now}, before the release ${VERSION} was made`, advice);
  const last = await stat(join(data_dir, "audit.ndjson")).catch(() => null);
  if (last !== null && last.mtimeMs > nowMs + AHEAD_MS)
    return wrong(
      "clock",
      `${now}, before the audit log was written last (${last.mtime.toISOString()})`,
      advice,
    );
  return well("clock", now);
}

/** The certificate and its key fit, and it is not about to end. */
export async function checkTls(config: Config, nowMs = systemClock.date().getTime()): Promise<Finding> {
  try {
    const certificate = await checkConfig(config);
    if (certificate === null) return well("tls", "not configured");
    const { validTo, subject } = new X509Certificate(certificate.cert);
    const days = Math.floor((Date.parse(validTo) - nowMs) / DAY_MS);
    const detail = `${subject} until ${new Date(validTo).toISOString()}`;
    return days >= CERTIFICATE_DAYS
      ? well("tls", detail)
      : wrong("tls", detail, "renew the certificate of server.tls_cert, then start again");
  } catch (error) {
    return wrong("tls", reasonOf(error), "mend the configuration: overlay-companion config validate");
  }
}

/** Each port can be had, or an appliance has it. */
export async function checkPorts({ server, vnc }: Config): Promise<Finding[]> {
  const ports = [
    { key: "server.port", port: server.port },
    ...(vnc.port === undefined ? [] : [{ key: "vnc.port", port: vnc.port }]),
    ...vnc.listeners.map(({ port }, nth) => ({ key: `vnc.listeners.${nth}.port`, port })),
  ];
  return Promise.all(
    ports.map(async ({ key, port }) => {
      const part = `port ${key}`;
      const place = `${server.host}:${port}`;
      const fault = await listenFault(server.host, port);
      if (fault === null) return well(part, `${place} is free`);
      if (key === "server.port" && (await isAppliance(server, port)))
        return well(part, `${place} is an appliance that runs`);
      return wrong(
        part,
        `${place} cannot be had: ${reasonOf(fault)}`,
        `stop what listens there unless it is this appliance, or choose another ${key}`,
      );
    }),
  );
}

function listenFault(host: string, port: number): Promise<unknown> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", resolve);
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

async function isAppliance({ host, tls_cert }: Config["server"], port: number): Promise<boolean> {
  // Its certificate is seldom one for this address, and fetch asks no other way.
  if (tls_cert !== undefined) return false;
  const name = host.includes(":") ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${name}:${port}/health`, { signal: AbortSignal.timeout(2000) });
    return /"status":"(ok|degraded)"/.test(await answer.text());
  } catch {
    return false;
  }
}

export async function checkFonts(): Promise<Finding> {
  // Loaded when it is needed: it brings what paints, which other commands do without.
  const { hasSystemFonts } = await import("../demo/typeface.ts");
  return hasSystemFonts()
    ? well("fonts", "the system has some")
    : wrong(
        "fonts",
        "the system has none",
        "install one, such as Debian's fonts-dejavu-core: labels are drawn by strokes",
      );
}

/** What reads text: the engine that ships, and the models of its languages, which are data files and may be left out. */
export async function checkModels({ vision }: Pick<Config, "vision">, folder?: URL): Promise<Finding> {
  const part = "text models";
  if (vision.engine === "tesseract") return await checkTesseract();
  const there = await listLanguages(folder);
  const missing = LIVE_LANGUAGES.filter((language) => !there.includes(language));
  const broken: string[] = [];
  for (const language of there) {
    const model = await readModel(language, folder).catch(() => null);
    if (model === null || model.length === 0) broken.push(language);
  }
  const list = there.length === 0 ? "none" : there.join(", ");
  if (missing.length === 0 && broken.length === 0) return well(part, list);
  const lacks = [
    ...(missing.length === 0 ? [] : [`${missing.join(", ")} missing`]),
    ...(broken.length === 0 ? [] : [`${broken.join(", ")} cannot be read`]),
  ];
  return wrong(
    part,
    `${list}; ${lacks.join(", ")}`,
    "install the package anew, with its folder data/tessdata: no text is read from the screen, and what is hidden by its text stays covered",
  );
}

/** The program that is to read text: whether it is there, starts, and has the languages of desktops. */
export async function checkTesseract(path?: string): Promise<Finding> {
  const part = "text engine";
  const program = await findTesseract(path);
  const advice = `${INSTALL_LINE}, or set vision.engine to embedded`;
  if (program === null)
    return wrong(part, "vision.engine is tesseract, and no such program is in PATH", advice);
  try {
    const there = await languagesOf({ kind: "tesseract", program });
    const missing = LIVE_LANGUAGES.filter((language) => !there.includes(language));
    const detail = `${program}: ${there.join(", ")}`;
    return missing.length === 0
      ? well(part, detail)
      : wrong(part, `${detail}; ${missing.join(", ")} missing`, advice);
  } catch (error) {
    return wrong(part, `${program}: ${reasonOf(error)}`, advice);
  }
}

/** What encodes films for browsers; nobody has to have it, unless a path of it is configured. */
export async function checkFilmEncoder({ viewer }: Pick<Config, "viewer">): Promise<Finding> {
  const part = "film encoder";
  const { film_encoder: program } = viewer;
  if (program === "off") return well(part, "off: films go to browsers as JPEG");
  try {
    await tryFilmEncoder(program, systemClock);
    return well(part, `${program} encodes H.264`);
  } catch (error) {
    const detail = `${program}: ${reasonOf(error)}: films go to browsers as JPEG`;
    if (program === "ffmpeg") return well(part, `${detail} (${FFMPEG_LINE})`);
    return wrong(part, detail, `${FFMPEG_LINE}, or set viewer.film_encoder to ffmpeg or off`);
  }
}

/** Really shakes hands with each, up to the first picture. */
export async function checkTargets(
  connections: readonly Connection[],
  test: (connection: Connection) => Promise<TestReport>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const connection of connections) {
    const { id, protocol } = connection;
    const part = `target ${id}`;
    if (protocol === "demo" || protocol === "replay") findings.push(well(part, "within the appliance"));
    else if (protocol === "rdp") {
      // A host gives a session to who signs in last, and the appliance may have it.
      findings.push(well(part, `not signed in to: connections test does, and may end the session there`));
    } else {
      const { success, steps, message } = await test(connection);
      const last = steps.filter(({ ok }) => ok).at(-1);
      const got = last === undefined ? "nothing answered" : `got as far as ${last.name}`;
      findings.push(
        success
          ? well(part, message)
          : wrong(part, `${message} (${got})`, "mend that, then run doctor again"),
      );
    }
  }
  return findings;
}

/** Each receiver of the audit log takes a batch without lines. */
export async function checkReceivers(config: Config): Promise<Finding[]> {
  return Promise.all(
    makeReceivers(config, systemClock).map(async (receiver) => {
      const part = `audit receiver ${receiver.name}`;
      try {
        await receiver.send([]);
        return well(part, "takes what it is sent");
      } catch (error) {
        return wrong(
          part,
          reasonOf(error),
          `check audit.${receiver.name} and that it runs; what is written waits for it`,
        );
      }
    }),
  );
}

/** The storage that recordings are archived in answers to the configured key; nothing is stored there. */
export async function checkArchive(config: Config): Promise<Finding[]> {
  const part = "archive of recordings";
  try {
    const place = await archiveBucketOf(config, ownListenersOf(config));
    if (place === null) return [];
    const signal = AbortSignal.timeout(ARCHIVE_WITHIN_MS);
    // What uploading begins with. The first names the bucket where there is none; the second is refused without the right to list.
    await place.bucket.uploads(place.prefix, signal);
    await place.bucket.head(`${place.prefix}doctor`, signal);
    place.close();
    return [well(part, "answers, and lets itself be looked at")];
  } catch (error) {
    const advice =
      "check recording.archive, and that this machine reaches it; recordings stay here meanwhile";
    return [wrong(part, reasonOf(error), advice)];
  }
}

/** What answers at each webhook's address, and each command's program; nobody is told anything. */
export async function checkPush(config: Config): Promise<Finding[]> {
  const reach = pushReach(config, ownListenersOf(config));
  const hooks = config.push.webhooks.map(async ({ name, url }) => {
    const part = `push webhook ${name}`;
    try {
      await guardedLook(url, reach);
      return well(part, "something answers there");
    } catch (error) {
      return wrong(part, reasonOf(error), "check push.webhooks, and that this machine reaches it");
    }
  });
  const commands = config.push.commands.map(async ({ name, argv: [program = ""] }) => {
    const part = `push command ${name}`;
    return (await isProgram(program))
      ? well(part, program)
      : wrong(part, `${program} is no program`, "install it, or give its whole path in push.commands");
  });
  return Promise.all([...hooks, ...commands]);
}

async function isProgram(name: string): Promise<boolean> {
  const dirs = name.includes("/")
    ? [""]
    : (process.env["PATH"] ?? "").split(delimiter).map((dir) => `${dir}/`);
  for (const dir of dirs) {
    const path = `${dir}${name}`;
    const isFile = await stat(path).then(
      (found) => found.isFile(),
      () => false,
    );
    const isOurs = access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isFile && (await isOurs)) return true;
  }
  return false;
}

/** The OpenID provider tells about itself; nothing where none is configured. */
export async function checkProvider(config: Config): Promise<Finding[]> {
  const provider = openidProviderOf(config);
  if (provider === null) return [];
  const part = "sign-in provider";
  try {
    const { tellsOfEnds } = await provider.check();
    const { issuer = "", check_seconds } = config.oidc;
    const ends = tellsOfEnds
      ? "tells of sessions that end where the client has our address for back-channel logout"
      : `tells of no session that ends, so that each is asked about every ${check_seconds} s`;
    return [well(part, `${issuer} answers, is the issuer that it says, and ${ends}`)];
  } catch (error) {
    const advice = "check oidc.issuer, and that this machine reaches it and believes its certificate";
    return [wrong(part, reasonOf(error), advice)];
  }
}

function well(part: string, detail: string): Finding {
  return { part, ok: true, detail, advice: null };
}

function wrong(part: string, detail: string, advice: string): Finding {
  return { part, ok: false, detail, advice };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
