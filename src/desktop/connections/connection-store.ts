import * as z from "zod";
import { JsonFile } from "../../platform/json-file.ts";
import { SECURITY_NAMES } from "../../protocols/rfb/security/policy.ts";
import { type Connection, PROTOCOLS } from "./connection.ts";
import { DECODING } from "./decoding.ts";
import { rdpFields, rdpFieldsOf, rdpWishesOf } from "./rdp-fields.ts";
import { TRANSPORTS, type WebAccess } from "./transport.ts";

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
    z.object({
      id: z.string(),
      name: z.string(),
      protocol: z.enum(PROTOCOLS),
      host: z.string(),
      port: z.int(),
      username: z.string().nullable(),
      password_sealed: z.string().nullable(),
      security: z.array(z.enum(SECURITY_NAMES)).optional(),
      fingerprint: z.string().optional(),
      transport: z.enum(TRANSPORTS).optional(),
      path: z.string().optional(),
      /** A WebSocket's: it may hold a token. */
      path_sealed: z.string().optional(),
      repeater_id: z.string().optional(),
      encodings: z.array(z.string()).optional(),
      /** JSON of what the web server in front is shown. */
      http_sealed: z.string().optional(),
      ...rdpFields,
      decoding: z.enum(DECODING).optional(),
      created_at: z.string(),
    }),
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
    return (kept?.connections ?? []).map((stored) => ({
      id: stored.id,
      name: stored.name,
      protocol: stored.protocol,
      host: stored.host,
      port: stored.port,
      username: stored.username,
      password:
        stored.password_sealed === null
          ? null
          : this.#sealer.open(stored.password_sealed, purposeOf(stored.id)),
      ...(stored.security === undefined ? {} : { security: stored.security }),
      ...(stored.fingerprint === undefined ? {} : { fingerprint: stored.fingerprint }),
      ...(stored.transport === undefined ? {} : { transport: stored.transport }),
      ...this.#pathOf(stored),
      ...(stored.repeater_id === undefined ? {} : { repeaterId: stored.repeater_id }),
      ...(stored.encodings === undefined ? {} : { encodings: stored.encodings }),
      ...(stored.http_sealed === undefined ? {} : { http: this.#openHttp(stored.http_sealed, stored.id) }),
      ...rdpWishesOf(stored),
      ...(stored.decoding === undefined ? {} : { decoding: stored.decoding }),
      createdAt: stored.created_at,
    }));
  }

  /** Versions before this one kept every path open: the next time that connections are saved it is sealed. */
  #pathOf({ id, path, path_sealed }: StoredPath): { readonly path?: string } {
    if (path_sealed !== undefined) return { path: this.#sealer.open(path_sealed, pathPurposeOf(id)) };
    return path === undefined ? {} : { path };
  }

  #openHttp(sealed: string, id: string): WebAccess {
    return httpSchema.parse(parseJson(this.#sealer.open(sealed, httpPurposeOf(id))));
  }

  #keptPath(id: string, { path, transport }: Pick<Connection, "path" | "transport">) {
    const isWeb = transport === "ws" || transport === "wss";
    if (path === undefined || !isWeb) return { path };
    return { path_sealed: this.#sealer.seal(path, pathPurposeOf(id)) };
  }

  save(connections: readonly Connection[]): Promise<void> {
    const kept = connections.map(
      ({ id, name, protocol, host, port, username, password, createdAt, ...rest }) => ({
        id,
        name,
        protocol,
        host,
        port,
        username,
        password_sealed: password === null ? null : this.#sealer.seal(password, purposeOf(id)),
        security: rest.security,
        fingerprint: rest.fingerprint,
        transport: rest.transport,
        ...this.#keptPath(id, rest),
        repeater_id: rest.repeaterId,
        encodings: rest.encodings,
        http_sealed:
          rest.http === undefined
            ? undefined
            : this.#sealer.seal(JSON.stringify(rest.http), httpPurposeOf(id)),
        rdp: rdpFieldsOf(rest.rdp),
        decoding: rest.decoding,
        created_at: createdAt,
      }),
    );
    return this.#file.write(() => ({ version: 1, connections: kept }));
  }
}

interface StoredPath {
  readonly id: string;
  readonly path?: string | undefined;
  readonly path_sealed?: string | undefined;
}

function pathPurposeOf(id: string): string {
  return `connection/${id}/path`;
}

function httpPurposeOf(id: string): string {
  return `connection/${id}/http`;
}

function purposeOf(id: string): string {
  return `connection/${id}/password`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
