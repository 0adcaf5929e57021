import type { ConnectionBody, ConnectionInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { type FilledForm, field } from "./filled-form.ts";
import { rdpFromForm, rdpValues } from "./rdp-form.ts";
import { transportFromForm } from "./transport-choice.ts";

/** The protocol a form control names; VNC for anything else. */
export function protocolNamed(name: string): ConnectionBody["protocol"] {
  return name === "kasmvnc" || name === "rdp" || name === "browser" ? name : "vnc";
}

/**
 * The body of `POST /api/v1/desktops` from the add dialog. Fields left empty are left out. A host with a port
 * ("box:5901") fills the port field's place; a bracketed IPv6 address loses its brackets.
 */
export function connectionFromForm(form: FilledForm): ConnectionBody {
  const asked = field(form, "host").trim();
  const parts = /^(?:\[(?<v6>[^\]]+)\]|(?<plain>[^:]+))(?::(?<port>\d{1,5}))?$/.exec(asked)?.groups;
  const host = parts?.["v6"] ?? parts?.["plain"] ?? asked;
  const port = field(form, "port") || parts?.["port"] || "";
  const name = field(form, "name").trim();
  const username = field(form, "username").trim();
  const password = field(form, "password");
  const protocol = protocolNamed(field(form, "protocol"));
  const awake = field(form, "keep_awake_s");
  return {
    protocol,
    ...(host === "" ? {} : { host }),
    ...(port === "" ? {} : { port: Number(port) }),
    ...(name === "" ? {} : { name }),
    ...(username === "" ? {} : { username }),
    ...(password === "" ? {} : { password }),
    ...(awake === "" ? {} : { keep_awake_s: Number(awake) }),
    ...transportFromForm(form),
    ...(protocol === "rdp" ? rdpFromForm(form) : {}),
    ...(protocol === "browser" ? browserFromForm(form) : {}),
  };
}

const BROWSER_FIELDS = ["page", "profile", "networks"] as const;

function browserFromForm(form: FilledForm): Pick<ConnectionBody, "browser"> {
  const said = BROWSER_FIELDS.map((name) => [name, field(form, name).trim()]);
  const browser = {
    ...JSON.parse(field(form, "browser_rest") || "{}"),
    ...Object.fromEntries(said.filter(([, value]) => value !== "")),
  };
  return Object.keys(browser).length === 0 ? {} : { browser };
}

/** Schemes that programs and people write before a desktop's address, and what they stand for here. */
const SCHEMES = new Map<string, Readonly<Record<string, string>>>([
  ["vnc", { protocol: "vnc" }],
  ["kasmvnc", { protocol: "kasmvnc" }],
  ["rdp", { protocol: "rdp" }],
  ["ws", { protocol: "vnc", transport: "ws" }],
  ["wss", { protocol: "vnc", transport: "wss" }],
]);

/** The fields that an address such as "vnc://ann:secret@box:5901" fills; null for what is none. */
export function fieldsOfAddress(text: string): Readonly<Record<string, string>> | null {
  const [, scheme = "", rest = ""] = /^([a-z]+):\/\/(\S+)$/i.exec(text.trim()) ?? [];
  const known = SCHEMES.get(scheme.toLowerCase());
  // As a web address, whose parts every browser reads alike.
  if (known === undefined || !URL.canParse(`http://${rest}`)) return null;
  const { hostname, port, username, password, pathname } = new URL(`http://${rest}`);
  const path = known["transport"] === undefined ? {} : { path: pathname };
  const parts = { host: hostname.replace(/^\[|\]$/g, ""), username, password };
  // A port that a web address leaves out as the usual one.
  const written = port === "" && /^[^/]*:80(?:\/|$)/.test(rest) ? "80" : port;
  const filled = Object.entries({ ...parts, port: written }).map(([name, value]) => [name, unescaped(value)]);
  return { ...known, ...path, ...Object.fromEntries(filled.filter(([, value]) => value !== "")) };
}

/** A percent sign that escapes nothing is part of a password. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type Edit = ConnectionInfo["connection"];

/** What stands in the form at first. */
export interface InitialForm {
  /** By the names of the fields; what is not named is empty. */
  readonly values: Readonly<Record<string, string>>;
  /** Secrets that stay as they are where nothing is written. */
  readonly kept: NonNullable<Edit["kept_secrets"]>;
}

export const EMPTY_FORM: InitialForm = { values: {}, kept: [] };

/** In the place of a secret that is kept. */
export const UNCHANGED = t`Unchanged`;

/** The name of the box that takes a kept secret away. */
export function forgetName(secret: InitialForm["kept"][number]): string {
  return `forget_${secret}`;
}

/** The form as it is to edit a connection. */
export function formOf({
  kept_secrets = [],
  rdp,
  security,
  encodings,
  browser: { page, profile, networks, ...rest } = {},
  ...connection
}: Edit): InitialForm {
  const asked = { page, profile, networks, browser_rest: JSON.stringify(rest) };
  const plain = Object.entries({ ...connection, ...asked }).flatMap(([name, value]) =>
    typeof value === "string" || typeof value === "number" ? [[name, String(value)]] : [],
  );
  const lists = { security: security?.join(",") ?? "", encoding: encodings?.join(",") ?? "" };
  return { values: { ...Object.fromEntries(plain), ...lists, ...rdpValues(rdp) }, kept: kept_secrets };
}

/** The body of `PUT /api/v1/desktops/:id/connection` from the form: secrets that nothing was written for are kept, but those to forget. */
export function editFromForm(form: FilledForm, kept: InitialForm["kept"]): Edit {
  const body = connectionFromForm(form);
  const isWeb = body.transport === "ws" || body.transport === "wss";
  const kept_secrets = kept.filter((name) => {
    if (body[name] !== undefined || field(form, forgetName(name)) !== "") return false;
    // Without a user it is shown to nobody, and the form has no use for another one.
    if (name === "http_password" && body.http_username === undefined) return false;
    return name === "password" || isWeb;
  });
  return { ...body, kept_secrets };
}

/** Why the secrets that an edit would keep are to be written again, as the server sees it; null where they are not. */
export function anewWords(edit: Edit, old: Edit): string | null {
  if ((edit.kept_secrets ?? []).length === 0) return null;
  if (leadsElsewhere(edit, old)) return t`Write it again: the stored one goes only to the address it was for`;
  if (hasOtherHeaders(edit, old))
    return t`Write it again: the stored one goes only with the headers it was for`;
  return isLessProtected(edit, old)
    ? t`Write it again: the stored one is kept only while the fingerprint and the way to sign in stay`
    : null;
}

function leadsElsewhere(edit: Edit, old: Edit): boolean {
  const isPathNew = edit.path === undefined ? !keepsLike(edit, old, "path") : edit.path !== old.path;
  return (
    isPathNew ||
    (["host", "port", "transport", "repeater_id"] as const).some((name) => edit[name] !== old[name])
  );
}

/** Stored headers are not known here: what is written is taken for others. */
function hasOtherHeaders(edit: Edit, old: Edit): boolean {
  return edit.http_headers !== undefined || !keepsLike(edit, old, "http_headers");
}

/** A secret that was there is kept, or there was none. */
function keepsLike(edit: Edit, old: Edit, name: InitialForm["kept"][number]): boolean {
  return edit.kept_secrets?.includes(name) === old.kept_secrets?.includes(name);
}

function isLessProtected(edit: Edit, old: Edit): boolean {
  if (digitsOf(edit.fingerprint) !== digitsOf(old.fingerprint)) return true;
  if (old.protocol === "vnc") return String(edit.security ?? []) !== String(old.security ?? []);
  return old.protocol === "rdp" && nlaRank(edit) < nlaRank(old);
}

/** A fingerprint is one with and without colons, in any case. */
function digitsOf(fingerprint = ""): string {
  return fingerprint.replaceAll(":", "").toLowerCase();
}

/** The higher the stricter; what is not said is as the server's configuration has it. */
function nlaRank({ rdp }: Edit): number {
  if (rdp?.require_nla === undefined) return 1;
  return rdp.require_nla ? 2 : 0;
}
