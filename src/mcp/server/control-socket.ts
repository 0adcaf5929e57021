import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Principal } from "../../auth/principal.ts";
import type { Toolset } from "../tool/toolsets.ts";
import type { Mcp, StdioSession } from "./mcp.ts";
import { toolsetsLine } from "./stdio-gate.ts";

/** Clients of one computer at a time; each costs an MCP session. */
const MAX_CLIENTS = 50;
/** A local socket answers at once, or no server is there. */
const CONNECT_MS = 1000;

const SOCKET_FILE = "control.sock";
/**
 * Says where the socket is when it is not in the data directory: Windows has named pipes only, whose random name is the
 * secret; and Unix cuts longer names (sun_path has 108 bytes, 104 on macOS) without a word.
 */
const ADDRESS_FILE = "control.address";
const MAX_PATH_BYTES = 100;

/**
 * Where processes of the same user reach a running server: `control.sock` (0600) in the data directory, or what
 * `control.address` (0600) there names.
 */
export class ControlSocket {
  /** Where it listens. */
  readonly path: string;
  readonly #server: Server;
  readonly #files: readonly string[];
  readonly #clients = new Map<Socket, StdioSession>();

  private constructor(server: Server, path: string, files: readonly string[]) {
    this.path = path;
    this.#server = server;
    this.#files = files;
  }

  /** null where another server has this data directory already. */
  static async open(
    dataDir: string,
    mcp: Pick<Mcp, "serveStdio">,
    principal: Principal,
  ): Promise<ControlSocket | null> {
    if (await isServerRunning(dataDir)) return null;
    const server = createServer({ allowHalfOpen: true });
    const { path, owned } = await newPath(dataDir);
    // What a server that crashed left behind answers no more.
    for (const file of [path, join(dataDir, ADDRESS_FILE)])
      if (!isPipe(file)) await rm(file, { force: true });
    const control = new ControlSocket(server, path, owned);
    server.maxConnections = MAX_CLIENTS;
    server.on("connection", (socket) => control.#serve(socket, mcp, principal));
    await listen(server, path);
    if (path !== join(dataDir, SOCKET_FILE)) {
      await writeFile(join(dataDir, ADDRESS_FILE), path, { mode: 0o600 });
    }
    return control;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const [socket, session] of this.#clients) {
      await session.close();
      socket.destroy();
    }
    await closed;
    for (const file of this.#files) await rm(file, { force: true, recursive: true });
  }

  #serve(socket: Socket, mcp: Pick<Mcp, "serveStdio">, principal: Principal): void {
    const session = mcp.serveStdio(socket, socket, principal);
    this.#clients.set(socket, session);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#clients.delete(socket));
    session.closed.then(
      () => socket.end(),
      () => socket.destroy(),
    );
  }
}

/**
 * Hands a session over to the server that runs on this data directory, byte for byte and keeping nothing, after
 * a line that says which tools the client wants; resolves when either side ends. False, with nothing read, where no server runs.
 */
export async function relayToRunning(
  dataDir: string,
  stdin: Readable,
  stdout: Writable,
  toolsets: readonly Toolset[] = [],
): Promise<boolean> {
  const socket = await connectTo(dataDir);
  if (socket === null) return false;
  if (toolsets.length > 0) socket.write(toolsetsLine(toolsets));
  const answers = pipeline(socket, stdout, { end: false });
  const questions = pipeline(stdin, socket);
  // The client's end is passed on and the last answers are waited for; the server's end is the end.
  await Promise.race([answers, questions.then(() => answers)]).catch(() => undefined);
  socket.destroy();
  await questions.catch(() => undefined);
  return true;
}

/** Whether a server serves this data directory. */
export async function isServerRunning(dataDir: string): Promise<boolean> {
  const socket = await connectTo(dataDir);
  socket?.destroy();
  return socket !== null;
}

/** Resolves with null where no server listens. */
async function connectTo(dataDir: string): Promise<Socket | null> {
  const path = await pathOf(dataDir);
  if (path === null) return null;
  return new Promise((resolve) => {
    const socket = connect({ path, allowHalfOpen: true });
    const fail = (): void => {
      socket.destroy();
      resolve(null);
    };
    socket.once("error", fail);
    socket.setTimeout(CONNECT_MS, fail);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.off("error", fail);
      socket.on("error", () => socket.destroy());
      resolve(socket);
    });
  });
}

async function pathOf(dataDir: string): Promise<string | null> {
  try {
    return (await readFile(join(dataDir, ADDRESS_FILE), "utf8")).trim();
  } catch {
    // The usual place, then.
  }
  const path = join(dataDir, SOCKET_FILE);
  return process.platform === "win32" || Buffer.byteLength(path) > MAX_PATH_BYTES ? null : path;
}

/** A place for the socket, and what to remove in the end. */
async function newPath(
  dataDir: string,
): Promise<{ readonly path: string; readonly owned: readonly string[] }> {
  const address = join(dataDir, ADDRESS_FILE);
  if (process.platform === "win32") {
    const name = randomBytes(16).toString("hex");
    return { path: `\\\\.\\pipe\\overlay-companion-${name}`, owned: [address] };
  }
  const path = join(dataDir, SOCKET_FILE);
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return { path, owned: [path] };
  // mkdtemp makes it 0700 and ours alone.
  const dir = await mkdtemp(join(tmpdir(), "overlay-companion-"));
  return { path: join(dir, SOCKET_FILE), owned: [dir, address] };
}

function isPipe(path: string): boolean {
  return path.startsWith("\\\\.\\pipe\\");
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // The data directory is 0700, so that nobody else gets here before the socket's own mode is set.
    const mask = process.platform === "win32" ? null : process.umask(0o177);
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      if (mask === null) resolve();
      else chmod(path, 0o600).then(resolve, reject);
    });
    if (mask !== null) process.umask(mask);
  });
}
