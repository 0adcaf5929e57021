import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { SECURITY_NAMES } from "../protocols/rfb/security/policy.ts";
import { type Connection, PROTOCOLS } from "./connection.ts";
import { DECODING } from "./decoding.ts";
import { RefusedError } from "./error.ts";
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
  readonly #path: string;
  readonly #sealer: SecretSealer;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, sealer: SecretSealer) {
    this.#path = path;
    this.#sealer = sealer;
  }

  async load(): Promise<Connection[]> {
    let text: string;
    try {
      text = await readFile(this.#path, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    }
    const parsed = fileSchema.safeParse(parseJson(text));
    if (!parsed.success) {
      throw new RefusedError(
        "invalid_parameters",
        `${this.#path} is not a connections file: ${z.prettifyError(parsed.error)}`,
      );
    }
    return parsed.data.connections.map((stored) => ({
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
      ...(stored.path === undefined ? {} : { path: stored.path }),
      ...(stored.repeater_id === undefined ? {} : { repeaterId: stored.repeater_id }),
      ...(stored.encodings === undefined ? {} : { encodings: stored.encodings }),
      ...(stored.http_sealed === undefined ? {} : { http: this.#openHttp(stored.http_sealed, stored.id) }),
      ...rdpWishesOf(stored),
      ...(stored.decoding === undefined ? {} : { decoding: stored.decoding }),
      createdAt: stored.created_at,
    }));
  }

  #openHttp(sealed: string, id: string): WebAccess {
    return httpSchema.parse(parseJson(this.#sealer.open(sealed, httpPurposeOf(id))));
  }

  save(connections: readonly Connection[]): Promise<void> {
    const text = JSON.stringify(
      {
        version: 1,
        connections: connections.map(
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
            path: rest.path,
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
        ),
      },
      null,
      2,
    );
    const write = async (): Promise<void> => {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      const draft = `${this.#path}.new`;
      await writeFile(draft, text, { mode: 0o600 });
      await rename(draft, this.#path);
    };
    const written = this.#writing.then(write, write);
    this.#writing = written.catch(() => undefined);
    return written;
  }
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
