import t from "tap";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { RfbError } from "../../../../src/protocols/rfb/error.ts";
import { vncAuthResponse } from "../../../../src/protocols/rfb/security/vnc-auth.ts";
import type { RfbServerOptions, ServerSecurity } from "../../../../src/protocols/rfb/server/rfb-server.ts";
import { CHALLENGE, ports } from "./ports.ts";
import { TestViewer } from "./viewer.ts";

const ANSWER = vncAuthResponse(ports.crypto, "secret", CHALLENGE);
const PASSWORD: ServerSecurity = {
  type: "vncAuth",
  verify: (challenge, response) => {
    return Buffer.from(vncAuthResponse(ports.crypto, "secret", challenge)).equals(response);
  },
};
const NONE: ServerSecurity = { type: "none" };

const version = (text: string): Uint8Array => Buffer.from(`RFB ${text}\n`);
const BANNER = version("003.008");
const SHARED = Uint8Array.of(1);
/** 64x48, RGBX, "test", byte for byte as RFC 6143 sections 7.3.2 and 7.4 draw it. */
const INIT = Buffer.from(
  "0040003020180001" + "00ff00ff00ff" + "000810" + "000000" + "0000000474657374",
  "hex",
);

function reason(text: string): Uint8Array {
  return new ByteWriter().u32(text.length).ascii(text).bytes();
}

interface Talk {
  readonly name: string;
  readonly options: Partial<RfbServerOptions>;
  readonly says: readonly Uint8Array[];
  readonly hears: readonly Uint8Array[];
  readonly error?: string;
}

const U32 = (value: number): Uint8Array => new ByteWriter(4).u32(value).bytes();
const WRONG = new Uint8Array(16);

const TALKS: readonly Talk[] = [
  {
    name: "3.3 without security is told the type and gets no result",
    options: {},
    says: [version("003.003"), SHARED],
    hears: [BANNER, U32(1), INIT],
  },
  {
    name: "3.3 with a password gets a result without a reason",
    options: { security: [PASSWORD, NONE] },
    says: [version("003.003"), ANSWER, SHARED],
    hears: [BANNER, U32(2), CHALLENGE, U32(0), INIT],
  },
  {
    name: "3.5 counts as 3.3",
    options: {},
    says: [version("003.005"), SHARED],
    hears: [BANNER, U32(1), INIT],
  },
  {
    name: "3.7 without security chooses it and gets no result",
    options: {},
    says: [version("003.007"), Uint8Array.of(1), SHARED],
    hears: [BANNER, Uint8Array.of(1, 1), INIT],
  },
  {
    name: "3.7 with a password",
    options: { security: [NONE, PASSWORD] },
    says: [version("003.007"), Uint8Array.of(2), ANSWER, SHARED],
    hears: [BANNER, Uint8Array.of(2, 1, 2), CHALLENGE, U32(0), INIT],
  },
  {
    name: "3.8 without security gets a result",
    options: {},
    says: [version("003.008"), Uint8Array.of(1), SHARED],
    hears: [BANNER, Uint8Array.of(1, 1), U32(0), INIT],
  },
  {
    name: "3.8 with a password",
    options: { security: [PASSWORD] },
    says: [version("003.008"), Uint8Array.of(2), ANSWER, SHARED],
    hears: [BANNER, Uint8Array.of(1, 2), CHALLENGE, U32(0), INIT],
  },
  ...["003.889", "004.000", "004.001", "005.000"].map((text) => ({
    name: `${text} counts as 3.8`,
    options: {},
    says: [version(text), Uint8Array.of(1), SHARED],
    hears: [BANNER, Uint8Array.of(1, 1), U32(0), INIT],
  })),
  {
    name: "a wrong password is told why in 3.8",
    options: { security: [PASSWORD] },
    says: [version("003.008"), Uint8Array.of(2), WRONG],
    hears: [BANNER, Uint8Array.of(1, 2), CHALLENGE, U32(1), reason("wrong password")],
    error: "auth_failed",
  },
  {
    name: "a wrong password gets only the result in 3.7",
    options: { security: [PASSWORD] },
    says: [version("003.007"), Uint8Array.of(2), WRONG],
    hears: [BANNER, Uint8Array.of(1, 2), CHALLENGE, U32(1)],
    error: "auth_failed",
  },
  {
    name: "a wrong password gets only the result in 3.3",
    options: { security: [PASSWORD] },
    says: [version("003.003"), WRONG],
    hears: [BANNER, U32(2), CHALLENGE, U32(1)],
    error: "auth_failed",
  },
  {
    name: "a security type that was not offered ends it: None where a password is wanted",
    options: { security: [PASSWORD] },
    says: [version("003.008"), Uint8Array.of(1)],
    hears: [BANNER, Uint8Array.of(1, 2), U32(1), reason("this security type was not offered")],
    error: "no_common_auth",
  },
  {
    name: "a security type that was not offered gets the result alone in 3.7",
    options: { security: [PASSWORD] },
    says: [version("003.007"), Uint8Array.of(1)],
    hears: [BANNER, Uint8Array.of(1, 2), U32(1)],
    error: "no_common_auth",
  },
  {
    name: "a refused viewer of 3.8 is told why",
    options: { security: [], refusal: "full" },
    says: [version("003.008")],
    hears: [BANNER, Uint8Array.of(0), reason("full")],
    error: "refused",
  },
  {
    name: "a refused viewer of 3.3 is told why",
    options: { security: [], refusal: "full" },
    says: [version("003.003")],
    hears: [BANNER, U32(0), reason("full")],
    error: "refused",
  },
  ...["GET / HTTP/1", "RFB 002.002\n", "rfb 003.008\n", "RFB 3.8     \n"].map((text) => ({
    name: `"${text.trim()}" is no version`,
    options: {},
    says: [Buffer.from(text)],
    hears: [BANNER],
    error: "bad_version",
  })),
];

for (const talk of TALKS) {
  t.test(`${talk.name}, at every chunk size`, async (t) => {
    const says = Buffer.concat(talk.says);
    const hears = Buffer.concat(talk.hears).toString("hex");
    for (let size = 1; size <= says.length; size++) {
      const viewer = new TestViewer(talk.options);
      let error: unknown = null;
      try {
        for (let at = 0; at < says.length; at += size) viewer.say(says.subarray(at, at + size));
      } catch (thrown) {
        error = thrown;
      }
      t.equal(Buffer.from(viewer.takeBytes()).toString("hex"), hears, `chunks of ${size}`);
      if (talk.error === undefined) {
        t.equal(error, null);
        t.ok(viewer.server.isReady);
        t.same(viewer.events, [{ type: "ready" }]);
      } else {
        t.ok(error instanceof RfbError && error.code === talk.error, `${talk.error}, got ${String(error)}`);
        t.notOk(viewer.server.isReady);
      }
    }
  });
}

t.test("after an error nothing is read any more", async (t) => {
  const viewer = new TestViewer({ security: [PASSWORD] });
  t.throws(() => viewer.say(version("003.008"), Uint8Array.of(2), WRONG), {
    code: "auth_failed",
    offset: 29,
  });
  viewer.takeBytes();
  viewer.say(ANSWER, SHARED);
  t.equal(viewer.takeBytes().length, 0);
  t.notOk(viewer.server.isReady);
});

t.test("before the handshake is over nothing but the handshake is sent", async (t) => {
  const viewer = new TestViewer({ security: [PASSWORD] });
  viewer.takeBytes();
  viewer.server.clipboard("private");
  viewer.server.bell();
  viewer.server.name("private");
  viewer.server.cursor({ width: 1, height: 1, hotspotX: 0, hotspotY: 0, rgba: new Uint8Array(4) });
  viewer.server.resize(80, 60, []);
  t.equal(viewer.takeBytes().length, 0);
});
