import pino from "pino";
import t from "tap";
import { logDesktops } from "../../src/appliance/log-desktops.ts";
import type { DesktopState } from "../../src/desktop/connections/reconnecting-link.ts";
import type { DesktopEvent } from "../../src/desktop/desktop.ts";
import { LinkError } from "../../src/desktop/error.ts";
import { RfbError } from "../../src/protocols/rfb/error.ts";

class FakeDesktop {
  readonly id = "d1";
  readonly connection = { protocol: "vnc" } as const;
  #listener = (_event: DesktopEvent): void => {};

  on(listener: (event: DesktopEvent) => void): () => void {
    this.#listener = listener;
    return () => {};
  }

  enter(...states: DesktopState[]): void {
    for (const state of states) this.#listener({ type: "state", state });
  }
}

const LIVE: DesktopState = { kind: "live", sinceMs: 0, description: "RFB 3.8, VncAuth" };
const CONNECTING: DesktopState = { kind: "connecting", sinceMs: 0 };

function away(error: LinkError): DesktopState {
  return { kind: "reconnecting", attempt: 1, nextAtMs: 0, error };
}

function follow(desktop: FakeDesktop): string[] {
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(line) });
  logDesktops({ all: [desktop], on: () => {} }, log);
  return lines;
}

t.test("that a desktop is live, lost and given up is said once each, not at each try", async (t) => {
  const desktop = new FakeDesktop();
  const lines = follow(desktop);
  const gone = away(new LinkError("unreachable", "nothing listens on that port"));
  desktop.enter(CONNECTING, gone, CONNECTING, gone, CONNECTING, gone);
  t.equal(lines.length, 1);
  t.match(
    lines[0],
    /"level":40,"desktop":"d1","protocol":"vnc","code":"unreachable","reason":"nothing listens/,
  );
  desktop.enter(CONNECTING, LIVE, { kind: "stalled", sinceMs: 0 }, LIVE);
  t.equal(lines.length, 2);
  t.match(lines[1], /"link":"RFB 3.8, VncAuth","msg":"Desktop is live"/);
  desktop.enter(CONNECTING, LIVE);
  t.equal(lines.length, 3, "somebody asked for a new session");
  desktop.enter(gone, CONNECTING, { kind: "failed", error: new LinkError("auth_failed", "wrong password") });
  t.equal(lines.length, 5);
  t.match(lines[4], /"level":50.*"auth_failed"/);
});

t.test("of a fault against the protocol its own code, phase and byte are said", async (t) => {
  const desktop = new FakeDesktop();
  const lines = follow(desktop);
  const cause = new RfbError("bad_rect", "rectangle", "got a rectangle outside");
  desktop.enter(
    away(new LinkError("protocol_error", "got a rectangle outside (rectangle, byte 77)", { cause })),
  );
  t.match(lines[0], /"code":"protocol_error","fault":"bad_rect","reason":".*rectangle, byte 77/);
});
