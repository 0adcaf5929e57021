import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";
import { FILM_DECODER } from "./film-decoder.ts";

const INFLATOR = fileURLToPath(new URL("../src/web/client/viewer/inflator.ts", import.meta.url));

/**
 * noVNC without what our own server never asks of it: the page is signed in before it opens its WebSocket, which
 * offers the security type None alone, and of the encodings in noVNC's list the server takes the first that it encodes,
 * which is Tight (ViewerSettings.setEncodings). With the keys of novnc-keys.ts a quarter of the viewer's bytes, packed.
 */
export function slimNoVnc(): Plugin {
  const names = "ra2|crypto/crypto|decoders/(?:hextile|jpeg|rre|tightpng|zlib|zrle)";
  return {
    name: "slim-novnc",
    enforce: "pre",
    load: {
      filter: { id: new RegExp(`/@novnc/novnc/core/(${names})\\.js$`) },
      handler: () => ({ code: "export default class {}", map: null }),
    },
  };
}

/** How noVNC signs in where it is asked for more than nothing, which our own server never does. */
const SIGN_INS = [
  ...["XvpAuth", "VeNCryptAuth", "PlainAuth", "StdVNCAuth", "ARDAuth", "ARDAuthAsync", "TightUnixAuth"],
  ...["TightTunnels", "TightAuth", "RA2neAuth", "MSLogonIIAuth"],
].map((name) => `_negotiate${name}`);

/** What only those need, and what is for repeaters, TightVNC's and Intel's servers: ours is none of them. */
const OF_OTHER_SERVERS = [
  /^ {12}case securityType\w+:\n {16}return this\._negotiate\w+\(\);\n\n/gm,
  /^ {12}securityType(?!None)\w+,\n/gm,
  /^ {12}handleRSAAES\w+: [^\n]*\n/gm,
  /^ {8}this\._rfbRSAAESAuthenticationState = null;\n/gm,
  /^ {8}if \((?:this\._rfbRSAAESAuthenticationState !== null|isRepeater|this\._rfbTightVNC|this\._fbName === "Intel[^"]*")\) \{\n.*?^ {8}\}\n/gms,
  /^ {12}case "000\.000":[^\n]*\n {16}isRepeater = 1;\n {16}break;\n/gm,
  /^ {8}let isRepeater = 0;\n/gm,
];

/** What of noVNC's face our viewer never touches, and what only that calls. */
const UNTOUCHED = [
  ...["sendCredentials", "approveServer", "machineShutdown", "machineReboot", "machineReset", "_xvpOp"],
  ...[
    "qualityLevel",
    "compressionLevel",
    "resizeSession",
    "showDotCursor",
    "touchButton",
    "clippingViewport",
  ],
  ...["_requestRemoteResize", "setDesktopSize"],
  ...["toDataURL", "toBlob", "genDES", "xvpOp", "_resumeAuthentication"],
  ...["_handleRSAAESCredentialsRequired", "_handleRSAAESServerVerification"],
];

/** Asking for another size is for REST: noVNC would have its windows ask, and say why it was refused. */
const OF_RESIZING = [
  /^ +this\._requestRemoteResize\(\);\n/gm,
  /^ {12}let msg = "";\n.*?^ {12}Log\.Warn\([^;]*;\n/gms,
];

/** What noVNC handles that our own server never sends: of two encodings of a pointer it takes VMware's (cursorKindOf). */
const NEVER_SENT = ["_handleSetColourMapMsg", "_handleXvpMsg", "_handleCursor"];

/** VMware's pointers of two masks: ours have alpha (putVmware). */
const OF_MASKED_POINTERS = [/^ {8}\/\/Classic cursor\n.*?^ {8}\} else (?=if \(cursorType == 1\))/gms];

/** Tight's filter of gradients, which our encoder never takes. */
const OF_GRADIENTS = [/^ {12}case 2: \/\/ GradientFilter\n.*?break;\n/gms];

/** How a channel that is no WebSocket says its state, and whether it is one at all. */
const OF_OTHER_CHANNELS = [/^ {8}\/\/ Must get object and class methods.*?^ {8}\}\n/gms];

/** By the file of noVNC: methods that nothing calls, and parts of others that never run. */
const LEFT_OUT: Readonly<Record<string, readonly [methods: readonly string[], parts: readonly RegExp[]]>> = {
  rfb: [
    [...SIGN_INS, ...UNTOUCHED, ...NEVER_SENT],
    [...OF_OTHER_SERVERS, ...OF_RESIZING, ...OF_MASKED_POINTERS],
  ],
  display: [["toDataURL", "toBlob"], []],
  websock: [["rQlen", "rQpeekBytes"], OF_OTHER_CHANNELS],
  tight: [["_gradientFilter"], OF_GRADIENTS],
};

/** noVNC without what nothing calls, which no minifier may take for that. */
export function leaveUncalled(): Plugin {
  return {
    name: "leave-uncalled",
    enforce: "pre",
    transform: {
      filter: { id: /\/@novnc\/novnc\/core\/(rfb|display|websock|decoders\/tight)\.js$/ },
      handler(code, id) {
        const [methods, parts] = LEFT_OUT[/(\w+)\.js$/.exec(id)?.[1] ?? ""] ?? [[], []];
        const left = methods.reduce((rest, name) => {
          const method = new RegExp(
            `^ {4}(async |get |set |static )?${name}\\([^\\n]*\\{([^\\n]*\\}|\\n.*?^ {4}\\}),?\\n`,
            "gms",
          );
          if (!method.test(rest)) throw new Error(`noVNC has no method ${name} any more, or in another form`);
          return rest.replace(method, "");
        }, code);
        const slim = parts.reduce((rest, part) => {
          if (rest.search(part) < 0) throw new Error(`noVNC has nothing like ${part} any more`);
          return rest.replace(part, "");
        }, left);
        return { code: slim, map: null };
      },
    },
  };
}

/** Statements of noVNC's that only log its own work: nobody reads it, and what ends a connection it says as an error. */
const LOGGED = /^ *Log\.(?:Debug|Info|Warn)\((?:"[^"\n]*"|'[^'\n]*'|`[^`]*`|[^"'`;])*\);\n/gm;
const ERRORS_ALONE = "const log = (...said) => console.error(...said);\nexport { log as Error };";

/** noVNC's errors go to the console, and nothing else: what else it would log is not made into texts either. */
export function logErrorsAlone(): Plugin {
  return {
    name: "log-errors-alone",
    enforce: "pre",
    load: {
      filter: { id: /\/@novnc\/novnc\/core\/util\/logging\.js$/ },
      handler: () => ({ code: ERRORS_ALONE, map: null }),
    },
    transform: {
      filter: { id: /\/@novnc\/novnc\/core\/.*\.js$/ },
      handler: (code) => ({ code: code.replace(LOGGED, ""), map: null }),
    },
  };
}

/** How noVNC finds out whether pictures may be pointers, which they may in each browser that runs this app, and how wide scrollbars are. */
const BROWSER_PROBES = /^let _supportsCursorURIs = false;.*?^export const hasScrollbarGutter = .*?;$/ms;

/** noVNC without looking at what all browsers with popovers have. */
export function probeLittle(): Plugin {
  return {
    name: "probe-little",
    enforce: "pre",
    transform: {
      filter: { id: /\/@novnc\/novnc\/core\/util\/browser\.js$/ },
      handler(code) {
        if (!BROWSER_PROBES.test(code)) throw new Error("noVNC's probes of the browser have another form");
        const known = "export const supportsCursorURIs = true, hasScrollbarGutter = true;";
        return { code: code.replace(BROWSER_PROBES, known), map: null };
      },
    },
  };
}

/** How noVNC finds out whether the browser decodes H.264, by a picture that it carries along: our decoder has a smaller one. */
const H264_PROBE = /^async function _checkWebCodecsH264DecodeSupport\(\) \{.*?^\}\n.*?;$/ms;

/** Where noVNC offers H.264. */
const H264_OFFER = /if \(supportsWebCodecsH264Decode\) \{/;
/** Offered as soon as the decoder knows that it can. */
const FILM_OFFER =
  "if (H264Decoder.fit(() => this._rfbConnectionState === 'connected' && this._sendEncodings())) {";

/** noVNC with our decoder of H.264, and without its own and its probe, which would also keep the first picture waiting. */
export function decodeFilms(): Plugin {
  return {
    name: "decode-films",
    enforce: "pre",
    transform: {
      filter: { id: /\/@novnc\/novnc\/core\/(util\/browser|rfb)\.js$/ },
      handler(code, id) {
        const [from, to] = id.endsWith("rfb.js") ? [H264_OFFER, FILM_OFFER] : [H264_PROBE, ""];
        if (!from.test(code)) throw new Error("noVNC's probe for H.264 has another form");
        return { code: code.replace(from, to), map: null };
      },
    },
    load: {
      filter: { id: /\/@novnc\/novnc\/core\/decoders\/h264\.js$/ },
      handler: () => ({ code: FILM_DECODER, map: null }),
    },
  };
}

/** Names that only noVNC's own files say to each other: those with an underscore, and of its socket and its messages. */
const OWN_NAMES =
  /\b(?:_[a-zA-Z]|[rs]Q(?=[a-z])|pseudoEncoding|encoding(?=[A-Z])|extendedClipboard|viewportChange)\w*/g;

/**
 * noVNC's own names, which are too public for a minifier, become short. Each becomes the same one in all of its files, so
 * that what is reached by name stays reached.
 */
export function shortenNoVnc(): Plugin {
  const short = new Map<string, string>();
  const shorten = (name: string): string => {
    const known = short.get(name) ?? `_${short.size.toString(36)}`;
    short.set(name, known);
    return known;
  };
  return {
    name: "shorten-novnc",
    transform: {
      filter: { id: /\/@novnc\/novnc\/core\/.*\.js$/ },
      handler: (code) => ({ code: code.replace(OWN_NAMES, shorten), map: null }),
    },
  };
}

/**
 * Clipboards leave in blocks that are stored, which is all that RFC 1951 asks of a deflated stream: what people copy is
 * small, and pako's compressor is 10 KB, packed.
 */
export function storeClipboards(): Plugin {
  return {
    name: "store-clipboards",
    enforce: "pre",
    load: {
      filter: { id: /\/@novnc\/novnc\/core\/deflator\.js$/ },
      handler: () => ({ code: STORING_DEFLATOR, map: null }),
    },
  };
}

/** noVNC's `Deflator`, without its compressor: a zlib header (RFC 1950) and then stored blocks, none of them the last. */
export const STORING_DEFLATOR = `
export default class Deflator {
  #header = [0x78, 0x01];
  deflate(bytes) {
    const parts = [...this.#header];
    this.#header = [];
    const blocks = Math.ceil(bytes.length / 65535);
    const out = new Uint8Array(parts.length + 5 * blocks + bytes.length);
    out.set(parts);
    let to = parts.length;
    for (let from = 0; from < bytes.length; from += 65535) {
      const block = bytes.subarray(from, from + 65535);
      const { length } = block;
      out.set([0, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255], to);
      out.set(block, to + 5);
      to += 5 + length;
    }
    return out;
  }
}
`;

/** noVNC's `Inflate` is ours, whose words are in viewer/inflator.ts: the pako that noVNC carries along is 5 KB, packed. */
export function inflateByOurs(): Plugin {
  return {
    name: "inflate-by-ours",
    enforce: "pre",
    resolveId: {
      filter: { id: /\/inflator\.js$/ },
      handler: (_, importer) => (importer?.includes("/@novnc/") ? INFLATOR : null),
    },
  };
}

/** Base64 by the browser's own coder: noVNC needs it for the JPEG pictures alone, of which it makes data URLs. */
export function encodeByBrowser(): Plugin {
  return {
    name: "encode-by-browser",
    enforce: "pre",
    load: {
      filter: { id: /\/@novnc\/novnc\/core\/base64\.js$/ },
      handler: () => ({ code: BASE64, map: null }),
    },
  };
}

/** `encode` alone; in pieces that the stack takes. */
export const BASE64 = `
export default {
  encode(bytes) {
    let text = "";
    for (let from = 0; from < bytes.length; from += 8192) {
      text += String.fromCharCode.apply(null, bytes.slice(from, from + 8192));
    }
    return btoa(text);
  },
};
`;

/** What Vite puts before an import that waits: for our own it has styles, older browsers and other hosts to care for. */
export function preloadSimply(): Plugin {
  return {
    name: "preload-simply",
    enforce: "pre",
    load: {
      filter: { id: /^\0vite\/preload-helper\.js$/ },
      handler: () => ({ code: PRELOAD, map: null, moduleSideEffects: false }),
    },
  };
}

/** All that a page needs is asked for at once, and not one file after the other. */
const PRELOAD = `
const asked = new Set();
export function __vitePreload(load, files, from) {
  for (const file of files ?? []) {
    if (asked.has(file)) continue;
    asked.add(file);
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = new URL(file, from).href;
    document.head.append(link);
  }
  return load();
}
`;

/** Smaller than this a file saves no packet. */
const LEAST_PACKED_BYTES = 900;

/**
 * Brotli at its best quality looks for what repeats in blocks and by contexts that the mode and the block's size name. Which
 * serve a file best is found by trying: noVNC packs by a twentieth better as a "font" in small blocks than as anything else.
 */
const BROTLI_WAYS = [
  { mode: constants.BROTLI_MODE_GENERIC, blockBits: 0 },
  { mode: constants.BROTLI_MODE_FONT, blockBits: 0 },
  { mode: constants.BROTLI_MODE_FONT, blockBits: 16 },
] as const;

function asBrotli(bytes: Uint8Array, { mode, blockBits }: (typeof BROTLI_WAYS)[number]): Buffer {
  const params = {
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    [constants.BROTLI_PARAM_MODE]: mode,
    // 0: brotli's own choice.
    [constants.BROTLI_PARAM_LGBLOCK]: blockBits,
  };
  return brotliCompressSync(bytes, { params });
}

function smallest(packed: readonly Buffer[]): Buffer {
  return packed.reduce((least, one) => (one.length < least.length ? one : least));
}

/** Beside each asset the same one as brotli and gzip, at their best: packed once, here, and never while it is served. */
export function packAssets(): Plugin {
  return {
    name: "pack-assets",
    apply: "build",
    writeBundle({ dir = "." }, bundle) {
      for (const file of Object.keys(bundle).filter((name) => /\.(js|css|svg)$/.test(name))) {
        const path = join(dir, file);
        const bytes = readFileSync(path);
        if (bytes.length < LEAST_PACKED_BYTES) continue;
        writeFileSync(`${path}.br`, smallest(BROTLI_WAYS.map((way) => asBrotli(bytes, way))));
        const level = constants.Z_BEST_COMPRESSION;
        writeFileSync(
          `${path}.gz`,
          smallest([6, 7, 8, 9].map((memLevel) => gzipSync(bytes, { level, memLevel }))),
        );
      }
    },
  };
}
