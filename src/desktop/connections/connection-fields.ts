import * as z from "zod";
import { ENCODING_NAMES } from "../../protocols/rfb/encodings/list.ts";
import { SECURITY_NAMES } from "../../protocols/rfb/security/policy.ts";
import { RefusedError } from "../error.ts";
import { ALL_TARGET_PROTOCOLS, TARGET_PROTOCOLS } from "./target-protocols.ts";

/**
 * How bytes get to a VNC server: "tcp" to its port, "unix" to its socket, "ws" and "wss" through a WebSocket,
 * "reverse" from a server that connects to us, "repeater" by way of UltraVNC's repeater (mode II).
 */
export const TRANSPORTS = ["tcp", "unix", "ws", "wss", "reverse", "repeater"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** Of a WebSocket whose path was not chosen. */
export const DEFAULT_WEB_PATH = "/websockify";

const RDP_DEPTHS = [32, 24, 16, 15, 8] as const;
/** "bitmaps": exact pixels; "pipeline": MS-RDPEGFX, which some hosts insist on, and which may be lossy. */
const RDP_GRAPHICS = ["bitmaps", "pipeline"] as const;

/** The sides that are asked for. */
export const LEAST_SIDE = 200;
export const MOST_SIDE = 8192;
/** Of TS_UD_CS_MONITOR, MS-RDPBCGR 2.2.1.3.6. */
export const MOST_MONITORS = 16;

const expected = (words: readonly (string | number)[]) => ({ error: `expected one of ${words.join(", ")}` });

const side = z.int().min(LEAST_SIDE).max(MOST_SIDE);
const corner = z
  .int()
  .min(0)
  .max(MOST_SIDE - 1);

/**
 * What is said about a target, described once: the configuration, REST, MCP, URLs and the file of stored connections
 * all read these fields, in the words of the wire. A field that was left out is absent, never undefined.
 */
export const connectionFields = {
  name: z.string().min(1).max(100).exactOptional().describe("What people and agents read."),
  protocol: z.enum(TARGET_PROTOCOLS, expected(TARGET_PROTOCOLS)),
  host: z
    .string()
    .min(1)
    .max(253)
    .exactOptional()
    .describe("Name or IP address; not needed for the transports unix and reverse."),
  port: z
    .int()
    .min(1)
    .max(65_535)
    .exactOptional()
    .describe("Default 5900 for vnc, 6901 for kasmvnc, 3389 for rdp."),
  username: z
    .string()
    .max(1024)
    .exactOptional()
    .describe("For rdp needed; DOMAIN\\user for an account of a domain."),
  password: z.string().max(1024).exactOptional(),
  security: z
    .array(z.enum(SECURITY_NAMES, expected(SECURITY_NAMES)))
    .min(1)
    .exactOptional()
    .describe(
      "For vnc: the only ways to sign in, the best first, such as X509Vnc. Default: what authenticates, never a password in clear.",
    ),
  fingerprint: z
    .string()
    .max(95)
    .refine(
      (text) => readFingerprint(text) !== null,
      "expected the 64 hex digits of a SHA-256, with or without colons",
    )
    .overwrite((text) => readFingerprint(text) ?? text)
    .exactOptional()
    .describe("SHA-256 of the server's certificate or key, in hex: no other is believed."),
  transport: z
    .enum(TRANSPORTS, expected(TRANSPORTS))
    .exactOptional()
    .describe(
      "How to get there: tcp (default), unix (a socket's path), ws or wss (a WebSocket such as websockify's), reverse (listen for a server that connects to us), repeater (UltraVNC's). For kasmvnc: wss, or ws to go without TLS.",
    ),
  path: z
    .string()
    .max(2048)
    .exactOptional()
    .describe("Of the Unix socket, absolute; or of the WebSocket, default /websockify."),
  repeater_id: z.string().max(240).exactOptional().describe("Whom the repeater is asked for, such as 1234."),
  http_username: z.string().max(1024).exactOptional().describe("For ws and wss of vnc: HTTP Basic."),
  http_password: z.string().max(1024).exactOptional(),
  http_headers: z
    .record(z.string().max(100), z.string().max(4096))
    .exactOptional()
    .describe("For ws and wss of vnc: more headers of the request."),
  encodings: z
    .array(z.enum(ENCODING_NAMES, expected(ENCODING_NAMES)))
    .min(1)
    .exactOptional()
    .describe("For vnc: encodings to ask for, the best first. Default: those that are exact and quick."),
  rdp: z
    .strictObject({
      width: side.exactOptional(),
      height: side.exactOptional(),
      monitors: z
        .array(z.strictObject({ x: corner, y: corner, width: side, height: side }))
        .min(1)
        .max(MOST_MONITORS)
        .exactOptional()
        .describe("Instead of width and height: several screens, the first one the primary."),
      depth: z
        .literal(RDP_DEPTHS, expected(RDP_DEPTHS))
        .exactOptional()
        .describe("Bits a pixel, default 32; 16 and less lose colours."),
      graphics: z
        .enum(RDP_GRAPHICS, expected(RDP_GRAPHICS))
        .exactOptional()
        .describe("bitmaps (default): exact pixels. pipeline: for hosts that insist on it; may be lossy."),
      require_nla: z.boolean().exactOptional(),
      keyboard_layout: z
        .int()
        .min(0)
        .max(0xffff_ffff)
        .exactOptional()
        .describe("Windows' number, default 0x409 (US)."),
    })
    .exactOptional()
    .describe("For rdp: what is asked of the host; it decides about the size."),
} as const;

/**
 * The thread that decodes a target's picture. "auto": one of its own for RDP, the main one for the others; "worker":
 * one of its own; "main": the main one, which RDP never has.
 */
const DECODING = ["auto", "worker", "main"] as const;
export type Decoding = (typeof DECODING)[number];

/** Not said by agents. */
const decodingField = z
  .enum(DECODING, expected(DECODING))
  .exactOptional()
  .describe(
    "The thread that decodes the picture of a VNC or KasmVNC server: auto (default) and main are the main thread, worker is one of its own. RDP hosts always have one, servers that connect by themselves never.",
  );

/** Not said by agents, for a desktop that does not lock is open to whoever sits before it. */
const keepAwakeField = z
  .int()
  .min(5)
  .max(3600)
  .exactOptional()
  .describe(
    "After so many seconds without input the pointer is moved by a pixel and back, so that the desktop neither locks nor blanks; half of its own time to lock is right. Absent: never.",
  );

const FILES = ["on", "off"] as const;

/** Not said by agents, for whom no files are. */
const filesField = z
  .enum(FILES, expected(FILES))
  .exactOptional()
  .describe("For rdp: on lets people send files to it and take files from it. Default off.");

/** Where the pages of a browser of ours may lead. */
const BROWSER_NETWORKS = ["public", "all"] as const;
const BROWSER_SANDBOX = ["on", "off"] as const;

/** Not said by agents: it is a program that runs here. */
const browserField = z
  .strictObject({
    page: z
      .url({ protocol: /^https?$/, error: "expected an address of http or https" })
      .max(2048)
      .exactOptional()
      .describe("What it shows first; absent: a page that asks where to."),
    profile: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "expected up to 40 of a-z, 0-9 and -")
      .exactOptional()
      .describe(
        "Keeps cookies, sign-ins and settings under that name in the data folder; absent: nothing is kept.",
      ),
    width: side.exactOptional(),
    height: side.exactOptional(),
    networks: z
      .enum(BROWSER_NETWORKS, expected(BROWSER_NETWORKS))
      .exactOptional()
      .describe(
        "Where its pages may lead: public (default), or all, loopback and private networks among it. targets.only and targets.deny hold in both.",
      ),
    sandbox: z
      .enum(BROWSER_SANDBOX, expected(BROWSER_SANDBOX))
      .exactOptional()
      .describe("off: without Chromium's sandbox, which root never has. Default on."),
  })
  .exactOptional()
  .describe(
    "For browser: a Chromium that the appliance runs itself. With host and port, the debugging port (default 9222) of one that runs already, width and height alone are said of it.",
  );

/** All fields of a connection: what people, the configuration, URLs and the file of stored connections say. */
export const allConnectionFields = {
  ...connectionFields,
  protocol: z.enum(ALL_TARGET_PROTOCOLS, expected(ALL_TARGET_PROTOCOLS)),
  browser: browserField,
  decoding: decodingField,
  keep_awake_s: keepAwakeField,
  files: filesField,
} as const;

const fieldsSchema = z.strictObject(allConnectionFields);

type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T;

/** Those fields, read. */
export type ConnectionFields = Frozen<z.output<typeof fieldsSchema>>;
export type RdpFields = NonNullable<ConnectionFields["rdp"]>;

/** Never logged, listed or sent to a browser, where `isSecret` says so. */
export const SECRET_FIELDS = ["password", "path", "http_password", "http_headers"] as const;
export type SecretField = (typeof SECRET_FIELDS)[number];

/** Whether what a connection has there is a secret: of paths a WebSocket's that was chosen, for it may hold a token. */
export function isSecret(
  connection: Readonly<Partial<Record<SecretField | "transport", unknown>>>,
  name: SecretField,
): boolean {
  const value = connection[name] ?? null;
  if (value === null) return false;
  return name !== "path" || (connection.transport !== "unix" && value !== DEFAULT_WEB_PATH);
}

/** What a connection is to be from now on: a field that is not said is gone, but the secrets that are kept. */
export interface ConnectionEdit extends ConnectionFields {
  readonly kept_secrets?: readonly SecretField[];
}

/** Fields that were put together of words, as those of a URL. Throws RefusedError invalid_parameters. */
export function readFields(fields: Readonly<Record<string, unknown>>): ConnectionFields {
  const parsed = fieldsSchema.safeParse(fields);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const { path = [], message = "not valid" } = issue ?? {};
  if (issue?.code === "unrecognized_keys") {
    const names = issue.keys.map((key) => [...path, key].join("."));
    throw new RefusedError("invalid_parameters", `got ${names.join(", ")}, expected only known fields`);
  }
  const [field = ""] = path;
  let got: unknown = fields;
  for (const step of path) got = typeof got === "object" && got !== null ? Reflect.get(got, step) : undefined;
  const value = SECRET_FIELDS.some((secret) => secret === field) ? "(secret)" : JSON.stringify(got);
  const name = path.filter((step) => typeof step === "string").join(".");
  throw new RefusedError(
    "invalid_parameters",
    `got ${name} ${value}, ${message.replace(/^[A-Z]/, (letter) => letter.toLowerCase())}`,
  );
}

/** 64 hex digits, with or without colons, in lower case and without; null for what is no SHA-256 fingerprint. */
function readFingerprint(text: string): string | null {
  const digits = text.replaceAll(":", "").toLowerCase();
  return /^[0-9a-f]{64}$/.test(digits) ? digits : null;
}
