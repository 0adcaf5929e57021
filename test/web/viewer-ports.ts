import { systemClock } from "../../src/desktop/clock.ts";
import { rfbCrypto } from "../../src/desktop/links/rfb-crypto.ts";
import { jpegTurbo } from "../../src/imaging/jpeg-turbo.ts";
import { chooseInflate, nodeDeflate } from "../../src/imaging/node-zlib.ts";
import type { RfbServerPorts } from "../../src/protocols/rfb/server/rfb-server.ts";
import type { ViewerLog } from "../../src/web/viewer-log.ts";
import { ViewerSessions } from "../../src/web/viewer-sessions.ts";

/** What the product runs on. */
export const rfbPorts: RfbServerPorts = {
  deflate: nodeDeflate,
  inflate: chooseInflate(),
  jpeg: jpegTurbo,
  crypto: rfbCrypto,
};

/** A log that keeps what it is told. */
export class KeptLog implements ViewerLog {
  readonly lines: { readonly level: string; readonly fields: object; readonly message: string }[] = [];

  debug(fields: object, message: string): void {
    this.lines.push({ level: "debug", fields, message });
  }

  info(fields: object, message: string): void {
    this.lines.push({ level: "info", fields, message });
  }

  warn(fields: object, message: string): void {
    this.lines.push({ level: "warn", fields, message });
  }

  error(fields: object, message: string): void {
    this.lines.push({ level: "error", fields, message });
  }
}

export function viewerSessions(log: ViewerLog = new KeptLog()): ViewerSessions {
  return new ViewerSessions({ rfb: rfbPorts, clock: systemClock, log });
}
