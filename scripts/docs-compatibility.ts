import { readFileSync } from "node:fs";
import * as z from "zod";
import { GENERATED, table } from "./markdown.ts";

const resultsSchema = z.record(
  z.string(),
  z.object({ debian: z.string(), encodings: z.record(z.string(), z.array(z.string())) }),
);

/** What the end-to-end tests talk to: [as, program, what is proved, by which test]. */
const PEERS: readonly (readonly [string, string, string, string])[] = [
  [
    "target",
    "TigerVNC's Xvnc 1.12",
    "the picture equal to `xwd` in every pixel after typing, scrolling, window moves and resizes; text, clicks and Unicode clipboard exact; wrong password",
    "vnc-targets, bad-input, agent-tools",
  ],
  ["target", "x11vnc 0.9.16", "the same, with a Latin-1 clipboard", "vnc-targets, agent-tools"],
  [
    "target",
    "TigerVNC, x11vnc, TightVNC, QEMU, wayvnc",
    "each encoding asked for alone, in every pixel: the matrix below",
    "vnc-encodings",
  ],
  [
    "target",
    "KasmVNC 1.5.0, from recordings of a real one and an independent fake",
    "every recorded session decodes to its truths at any chunking; sign-in, clipboard, resize, rights",
    "kasmvnc",
  ],
  [
    "target",
    "hostile and broken servers of our own",
    "cases 1 to 27: a typed error each within a second of the bad byte, at most 64 MiB more under 300 MiB, 90 % of another desktop's frames",
    "bad-input, hostile-targets",
  ],
  [
    "target",
    "TigerVNC's Xvnc by its Unix socket, websockify 0.10 (ws, wss, HTTP Basic), UltraVNC's repeater (mode II, of our own)",
    "the picture equal in every pixel; certificates by authority, fingerprint and first use; wrong passwords",
    "transports",
  ],
  [
    "target",
    "TigerVNC's Xvnc (vncconfig -connect) and x11vnc -connect",
    "servers that connect to us, the picture equal in every pixel",
    "transports",
  ],
  [
    "target",
    "TigerVNC's Xvnc 1.12",
    "the keyboard's lights as they change; what an agent types while caps lock is on comes out as asked",
    "locks, vnc-caps-lock",
  ],
  [
    "target",
    "TigerVNC's Xvnc 1.12",
    "VncAuth, TLSVnc, X509Vnc and each without a password; certificates by authority, fingerprint and first use, and one that changed",
    "vnc-security",
  ],
  ["target", "QEMU 7.2", "TLSNone and X509None", "vnc-tls"],
  [
    "target",
    "x11vnc 0.9.16",
    "TLSVnc and X509Vnc, TLSPlain and X509Plain, Vino's TLS (type 18); wrong passwords",
    "vnc-tls",
  ],
  [
    "target",
    "wayvnc 0.5",
    "X509Plain: user, password and certificate; a wrong password, which it answers as a success, is one",
    "vnc-wayvnc-auth",
  ],
  [
    "viewer",
    "noVNC 1.7 in Chromium",
    "the desktop, overlays, click-through, cropping; None, VncAuth, RA2ne, ARD",
    "viewer-page, viewers-novnc",
  ],
  [
    "viewer",
    "TigerVNC's viewer 1.12",
    "None, VncAuth, TLS and X509 with None, Vnc and Plain; Tight, ZRLE, Hextile, Raw",
    "viewers",
  ],
  [
    "viewer",
    "libvncclient 0.9.14",
    "raw, hextile, zrle, tight, rre, zlib in 32, 16 and 8 bits a pixel, and big-endian but for zrle and tight; TLS, X509, ARD",
    "viewers",
  ],
  [
    "viewer",
    "gvncviewer 1.3.1 (GTK-VNC)",
    "VncAuth, every picture in every pixel, pointer and keys",
    "viewers-gvncviewer",
  ],
  ["viewer", "rfb2 0.2.2", "Raw and CopyRect, None and VncAuth", "viewers"],
  [
    "viewer",
    "vncsnapshot 1.2a",
    "RFB 3.3, VncAuth; Raw, Hextile, RRE, Zlib, Tight; all of 3840x2160 by one request",
    "viewers-vncsnapshot",
  ],
  [
    "viewer",
    "gvnccapture 1.3.1 (GTK-VNC)",
    "by one request every pixel, to 3840x2160, as xwd has it",
    "viewers-capture",
  ],
  [
    "viewer",
    "hostile viewers of our own",
    "cases 34 to 41: closed within a second of the bad byte, little memory, 90 % of the desktop's frames for the others",
    "hostile-viewers",
  ],
  ["agent", "MCP TypeScript SDK 2.4 (2026-07-28) and 1.32 (2025)", "every tool", "mcp-clients"],
  [
    "target",
    "xrdp 0.9.21 (Xorg and Xvnc), FreeRDP's shadow server 2.11 (TLS and NLA)",
    "over RDP: the picture in every pixel, clicks and typing, the clipboard, resizes, sessions found again, wrong passwords; every tool, approvals and viewers on such a desktop",
    "rdp, rdp-appliance, rdp-cells, rdp-scenes, rdp-screens",
  ],
  [
    "target",
    "Weston 10's RDP back-end, GNOME Remote Desktop 43",
    "over RDP: typing with a German keyboard, the clipboard; GNOME's graphics pipeline as near to the truth as FreeRDP's decode",
    "rdp-wayland, rdp-egfx",
  ],
  [
    "target",
    "an SPNEGO acceptor on MIT Kerberos with gss-ntlmssp",
    "NLA by SPNEGO, tampered and refused sign-ins",
    "rdp-spnego",
  ],
  [
    "target",
    "hostile RDP hosts of our own",
    "cases 28 to 33: a typed error each, no password to a certificate that changed, nothing redirected",
    "rdp-hostile",
  ],
  [
    "agent",
    "MCP conformance suite (2025-11-25 and 2026-07-28) and the Inspector's command line",
    "every scenario, on fixtures of our own on the real face; those of the tasks extension, which is not offered, and one about headers fail as expected",
    "conformance",
  ],
];

/** What no program of Debian 12 can show, and what stands in for it: [what, why]. */
const NOT_MET: readonly (readonly [string, string])[] = [
  [
    "toward targets: RA2, RA2ne, RA256, RAne256",
    "no server of Debian 12 has them (TigerVNC 1.12 is built without, neatvnc 0.5 came before): against servers of our own and, the other way round, noVNC 1.7",
  ],
  [
    "toward targets: ARD (30) and MSLogonII (113)",
    "their servers are macOS and UltraVNC: against servers of our own, and the other way round libvncclient and noVNC",
  ],
  [
    "toward targets: the Unix logon of Tight, XVP, relative pointers",
    "no server of Debian 12 offers them as it comes: against servers of our own",
  ],
  [
    "x11vnc's anonymous TLS as Debian ships it",
    'it fails with every client ("no shared cipher"), for OpenSSL 3 has no anonymous ciphers at its default level of security: proved with that level lowered by OPENSSL_CONF',
  ],
  [
    "x11vnc and caps lock",
    "it does not tell its lock keys: what an agent types while caps lock is on there comes out in the other case",
  ],
  [
    "libvncclient 0.9.14 in 32 bits big-endian, ZRLE and Tight",
    "it reads pixels of three bytes as little-endian whatever it asked for; what we send is as RFC 6143 section 7.7.5 and rfbproto have it, read byte by byte in `viewers-big-endian`",
  ],
];

/** docs/compatibility.md: who was really talked to, and the encodings each server sends. */
export function renderCompatibilityDoc(): string {
  const text = readFileSync(new URL("../docs/compatibility.json", import.meta.url), "utf8");
  const results = resultsSchema.parse(JSON.parse(text));
  const servers = Object.entries(results);
  const asked = [...new Set(servers.flatMap(([, { encodings }]) => Object.keys(encodings)))];
  return [
    "# Compatibility",
    GENERATED,
    "What the end-to-end tests talk to, on Debian 12 with Node 20. A line here is a test in `test/e2e/`, not a hope.",
    "",
    table(
      ["as", "program", "what is proved", "tests"],
      PEERS.map(([as, program, proof, tests]) => [as, program, proof, tests.replace(/[\w-]+/g, "`$&`")]),
    ),
    "",
    "## Encodings that servers send",
    "",
    "Each row asks a server for one encoding alone (raw is always allowed) and follows its screen through two changes;",
    "the picture equals the server's own in every pixel, but for ZYWRLE, which is lossy by nature. A cell holds what the",
    "server chose to send; `raw` alone means that it does not know the encoding. TRLE and JPEG (21) are sent by none of",
    "these servers and are proved by vectors, round trips and fuzzing only.",
    "",
    "## What is not proved by a real peer, and why",
    "",
    table(
      ["what", "why"],
      NOT_MET.map((row) => [...row]),
    ),
    "",
    table(
      ["asked for", ...servers.map(([name, { debian }]) => `${name} (${debian})`)],
      asked.map((name) => [name, ...servers.map(([, { encodings }]) => encodings[name]?.join(", ") ?? "")]),
    ),
  ].join("\n");
}
