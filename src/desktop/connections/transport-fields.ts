import * as z from "zod";
import { ENCODING_NAMES } from "../../protocols/rfb/encodings/list.ts";
import { TRANSPORTS, type Way } from "./transport.ts";

/** The fields by which every face and the configuration name a way, in the words of the wire. */
export const transportFields = {
  transport: z
    .enum(TRANSPORTS)
    .optional()
    .describe(
      "How to get there: tcp (default), unix (a socket's path), ws or wss (a WebSocket such as websockify's), reverse (listen for a server that connects to us), repeater (UltraVNC's). For kasmvnc: wss, or ws to go without TLS.",
    ),
  path: z
    .string()
    .max(2048)
    .optional()
    .describe("Of the Unix socket, absolute; or of the WebSocket, default /websockify."),
  repeater_id: z.string().max(240).optional().describe("Whom the repeater is asked for, such as 1234."),
  http_username: z.string().max(1024).optional().describe("For ws and wss of vnc: HTTP Basic."),
  http_password: z.string().max(1024).optional(),
  http_headers: z
    .record(z.string().max(100), z.string().max(4096))
    .optional()
    .describe("For ws and wss of vnc: more headers of the request."),
  encodings: z
    .array(z.enum(ENCODING_NAMES))
    .min(1)
    .optional()
    .describe("For vnc: encodings to ask for, the best first. Default: those that are exact and quick."),
} as const;

/** Those fields, read. */
export type TransportFields = {
  readonly [Name in keyof typeof transportFields]?: z.output<(typeof transportFields)[Name]> | undefined;
};

/** The way that the fields name; what was left out stays out. */
export function wayOf(fields: TransportFields): Way {
  const { transport, path, repeater_id, http_username, http_password, http_headers, encodings } = fields;
  const hasHttp = [http_username, http_password, http_headers].some((field) => field !== undefined);
  return {
    ...(transport === undefined ? {} : { transport }),
    ...(path === undefined ? {} : { path }),
    ...(repeater_id === undefined ? {} : { repeaterId: repeater_id }),
    ...(encodings === undefined ? {} : { encodings }),
    ...(hasHttp
      ? {
          http: {
            username: http_username ?? null,
            password: http_password ?? null,
            headers: http_headers ?? {},
          },
        }
      : {}),
  };
}
