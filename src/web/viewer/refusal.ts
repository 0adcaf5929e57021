import { RfbError } from "../../protocols/rfb/error.ts";
import { RfbServer, type RfbServerPorts } from "../../protocols/rfb/server/rfb-server.ts";
import type { ViewerTransport } from "./transport.ts";

/** How a refusal hears what its viewer says and that it went. */
export interface Refusal {
  receive(chunk: Uint8Array): void;
}

/** Tells a viewer in its own protocol why it gets nothing, as far as it listens, and closes. `reason`: ASCII. */
export function refuseViewer(
  transport: ViewerTransport,
  ports: RfbServerPorts,
  code: number,
  reason: string,
): Refusal {
  const options = { name: "", width: 1, height: 1, screens: [], security: [], refusal: reason };
  const server = new RfbServer(
    options,
    ports,
    (bytes) => transport.send(bytes),
    () => {},
  );
  return {
    receive(chunk) {
      try {
        server.receive(chunk);
      } catch (error) {
        transport.close(code, reason);
        if (!(error instanceof RfbError)) throw error;
      }
    },
  };
}
