import * as z from "zod";
import { JsonFile } from "../../platform/json-file.ts";
import { type Connection, PROTOCOLS, withoutDefaults } from "./connection.ts";
import { allConnectionFields } from "./connection-fields.ts";

/** Seals secrets for the disk. `purpose` binds a sealed value to its place. */
export interface SecretSealer {
  seal(secret: string, purpose: string): string;
  open(sealed: string, purpose: string): string;
}

/** Connections that were added while running. */
export interface ConnectionStore {
  load(): Promise<Connection[]>;
  save(connections: readonly Connection[]): Promise<void>;
}

const fileSchema = z.object({
  version: z.literal(1),
  connections: z.array(
    z
      .object({
        ...allConnectionFields,
        id: z.string(),
        name: z.string(),
        protocol: z.enum(PROTOCOLS),
        host: z.string(),
        port: z.int(),
        username: z.string().nullable(),
        password_sealed: z.string().nullable(),
        /** A WebSocket's: it may hold a token. */
        path_sealed: z.string().exactOptional(),
        /** JSON of what the web server in front is shown. */
        http_sealed: z.string().exactOptional(),
        created_at: z.string(),
      })
      .omit({ password: true, http_username: true, http_password: true, http_headers: true }),
  ),
});

const httpSchema = z.object({
  username: z.string().nullable(),
  password: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
});

/** A JSON file of mode 0600 whose passwords are sealed; written whole and then moved into place. */
export class FileConnectionStore implements ConnectionStore {
  readonly #file: JsonFile<z.infer<typeof fileSchema>>;
  readonly #sealer: SecretSealer;

  constructor(path: string, sealer: SecretSealer) {
    this.#file = new JsonFile(path, "a connections file", fileSchema);
    this.#sealer = sealer;
  }

  async load(): Promise<Connection[]> {
    const kept = await this.#file.read();
    return (kept?.connections ?? []).map(
      ({ password_sealed, path_sealed, http_sealed, created_at, transport, rdp, ...stored }) => {
        const { id } = stored;
        const open = (sealed: string, what: string) => this.#sealer.open(sealed, purposeOf(id, what));
        return {
          ...stored,
          // Versions before this one kept defaults as they were said.
          ...withoutDefaults({ transport, rdp }),
          password: password_sealed === null ? null : open(password_sealed, "password"),
          // Versions before this one kept every path open: the next time that connections are saved it is sealed.
          ...(path_sealed === undefined ? {} : { path: open(path_sealed, "path") }),
          ...(http_sealed === undefined ? {} : readHttp(open(http_sealed, "http"))),
          createdAt: created_at,
        };
      },
    );
  }

  save(connections: readonly Connection[]): Promise<void> {
    const kept = connections.map(
      ({ password, path, http_username, http_password, http_headers, createdAt, replay: _, ...open }) => {
        const seal = (secret: string, what: string) => this.#sealer.seal(secret, purposeOf(open.id, what));
        const isWeb = open.transport === "ws" || open.transport === "wss";
        const http = {
          username: http_username ?? null,
          password: http_password ?? null,
          headers: http_headers ?? {},
        };
        const hasHttp = [http_username, http_password, http_headers].some((field) => field !== undefined);
        return {
          ...open,
          password_sealed: password === null ? null : seal(password, "password"),
          ...(path !== undefined && isWeb ? { path_sealed: seal(path, "path") } : { path }),
          http_sealed: hasHttp ? seal(JSON.stringify(http), "http") : undefined,
          created_at: createdAt,
        };
      },
    );
    return this.#file.write(() => ({ version: 1, connections: kept }));
  }
}

function readHttp(text: string): Pick<Connection, "http_username" | "http_password" | "http_headers"> {
  const { username, password, headers } = httpSchema.parse(parseJson(text));
  return {
    ...(username === null ? {} : { http_username: username }),
    ...(password === null ? {} : { http_password: password }),
    ...(Object.keys(headers).length === 0 ? {} : { http_headers: headers }),
  };
}

/** Binds a sealed value to its place. */
function purposeOf(id: string, what: string): string {
  return `connection/${id}/${what}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
