import { fromBase64url, toBase64url } from "./base64url.ts";
import { BRIDGE_PATH } from "./calls.ts";

/** What a person carries from the server's page to the extension: where to dial, and a code that is good once. */
export interface PairingLink {
  readonly url: string;
  readonly id: string;
  /** 128 bits, base64url. */
  readonly code: string;
}

const SCHEME = "vf://";
const LONGEST = 2000;

export function formatPairingLink({ url, id, code }: PairingLink): string {
  return SCHEME + toBase64url(new TextEncoder().encode(JSON.stringify({ v: 1, url, id, code })));
}

/** Throws Error with words for the person who pasted it. */
export function parsePairingLink(text: string): PairingLink {
  const trimmed = text.trim();
  if (!trimmed.startsWith(SCHEME) || trimmed.length > LONGEST) {
    throw new Error(
      "this is no pairing link: copy the whole link, which begins with vf://, from the server's Setup page",
    );
  }
  const read = parseJson(fromBase64url(trimmed.slice(SCHEME.length)));
  const { v, url, id, code } = read;
  if (typeof url !== "string" || !isToken(id) || !isToken(code)) {
    throw new Error("the pairing link is cut off or changed: copy the whole of it again");
  }
  if (v !== 1)
    throw new Error(
      "the server is newer than this extension: install the extension from its Setup page anew",
    );
  checkDialled(url);
  return { url, id, code };
}

/** Without TLS only on this very machine. Throws Error. */
function checkDialled(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    !url.pathname.endsWith(BRIDGE_PATH) ||
    url.search !== "" ||
    url.hash !== "" ||
    url.username !== ""
  ) {
    throw new Error("the pairing link names no bridge: make a new one on the server's Setup page");
  }
  const isLocal =
    url.hostname === "localhost" || url.hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(url.hostname);
  if (url.protocol === "wss:" || (url.protocol === "ws:" && isLocal)) return;
  throw new Error(
    "the server speaks no TLS, and without it only a server on this machine is dialled: open its Setup page by https",
  );
}

function isToken(value: unknown): value is string {
  return typeof value === "string" && /^[\w-]{6,64}$/.test(value);
}

function parseJson(bytes: Uint8Array | null): Record<string, unknown> {
  if (bytes === null) return {};
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
