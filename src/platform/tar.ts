/**
 * Archives of regular files in the ustar format (POSIX.1-2017, pax, "ustar Interchange Format"). Nothing else is read:
 * links, devices and extended headers have no use here, and are how an archive reaches beyond its folder.
 */

const BLOCK_BYTES = 512;
/** Eleven octal digits. */
const MAX_FILE_BYTES = 8 ** 11 - 1;
const MAX_NAME_BYTES = 100;
const MAX_PREFIX_BYTES = 155;
const REGULAR = "0";
const MAGIC = "ustar\0";
/** Fields of a header: where each begins and how long it is. */
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 6],
  version: [263, 2],
  prefix: [345, 155],
} as const;
type Field = keyof typeof FIELDS;

/** `cut_off`: bytes are missing. `unsupported`: it is no archive of this kind. `too_large`: a file does not fit into one. */
export type TarErrorCode = "cut_off" | "unsupported" | "too_large";

export class TarError extends Error {
  override readonly name = "TarError";
  readonly code: TarErrorCode;

  constructor(code: TarErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A file in an archive. `name` has forward slashes; `size` is in bytes. */
export interface TarEntry {
  readonly name: string;
  readonly size: number;
  /** When it was changed last, in whole seconds since 1970. */
  readonly mtimeSeconds: number;
}

/** What stands before a file's bytes, which `tarPadding` follows. Throws TarError too_large. */
export function tarHeader({ name, size, mtimeSeconds }: TarEntry): Buffer {
  if (size > MAX_FILE_BYTES) {
    throw new TarError("too_large", `${name} has ${size} bytes, expected at most ${MAX_FILE_BYTES}`);
  }
  const [prefix, last] = splitName(name);
  const block = Buffer.alloc(BLOCK_BYTES);
  const put = (field: Field, text: string): void => {
    block.write(text, FIELDS[field][0], FIELDS[field][1], "utf8");
  };
  put("name", last);
  put("mode", octal(0o600, 7));
  put("uid", octal(0, 7));
  put("gid", octal(0, 7));
  put("size", octal(size, 11));
  put("mtime", octal(mtimeSeconds, 11));
  put("checksum", " ".repeat(8));
  put("type", REGULAR);
  put("magic", MAGIC);
  put("version", "00");
  put("prefix", prefix);
  put("checksum", `${octal(sumOf(block), 6)}\0 `);
  return block;
}

/** What fills a file's last block. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);
}

/** What stands after the last file. */
export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK_BYTES);

/** Reads an archive front to back, holding no more of it than one chunk. */
export class TarReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest = Buffer.alloc(0);
  /** Of the file that `next` gave: bytes still to be read, and what fills its last block. */
  #left = 0;
  #padding = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next file, passing over what was not read of the one before; null after the last. Throws TarError. */
  async next(): Promise<TarEntry | null> {
    for await (const _ of this.content());
    await this.#take(this.#padding);
    this.#padding = 0;
    const block = await this.#take(BLOCK_BYTES);
    if (isZero(block)) {
      if (!isZero(await this.#take(BLOCK_BYTES)))
        throw new TarError("unsupported", "a file follows an empty block");
      return null;
    }
    const entry = readHeader(block);
    this.#left = entry.size;
    this.#padding = tarPadding(entry.size).length;
    return entry;
  }

  /** The bytes of the file that `next` gave, once. Throws TarError cut_off. */
  async *content(): AsyncGenerator<Buffer> {
    while (this.#left > 0) {
      if (this.#rest.length === 0) await this.#more();
      const part = this.#rest.subarray(0, this.#left);
      this.#rest = this.#rest.subarray(part.length);
      this.#left -= part.length;
      yield part;
    }
  }

  async #take(count: number): Promise<Buffer> {
    while (this.#rest.length < count) await this.#more();
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return taken;
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#chunks.next();
    if (done === true) throw new TarError("cut_off", "the archive ends before its end: it was cut off");
    this.#rest = this.#rest.length === 0 ? Buffer.from(value) : Buffer.concat([this.#rest, value]);
  }
}

function readHeader(block: Buffer): TarEntry {
  if (bytesOf(block, "magic").toString("latin1") !== MAGIC) {
    throw new TarError("unsupported", "got no ustar header, expected an archive in that format");
  }
  const name = [textOf(block, "prefix"), textOf(block, "name")].filter((part) => part !== "").join("/");
  const sum = numberOf(block, "checksum");
  bytesOf(block, "checksum").fill(" ");
  if (sumOf(block) !== sum) throw new TarError("unsupported", "a header does not add up to its checksum");
  const type = bytesOf(block, "type").toString("latin1");
  if (type !== REGULAR) {
    throw new TarError(
      "unsupported",
      `got an entry of type ${JSON.stringify(type)}, expected regular files alone`,
    );
  }
  return { name, size: numberOf(block, "size"), mtimeSeconds: numberOf(block, "mtime") };
}

function bytesOf(block: Buffer, field: Field): Buffer {
  const [start, length] = FIELDS[field];
  return block.subarray(start, start + length);
}

function textOf(block: Buffer, field: Field): string {
  const bytes = bytesOf(block, field);
  const end = bytes.indexOf(0);
  return bytes.toString("utf8", 0, end < 0 ? bytes.length : end);
}

function numberOf(block: Buffer, field: Field): number {
  const digits = /^ *([0-7]{1,11})[\0 ]*$/.exec(bytesOf(block, field).toString("latin1"))?.[1];
  if (digits === undefined) throw new TarError("unsupported", `the ${field} of a header is no octal number`);
  return Number.parseInt(digits, 8);
}

function octal(value: number, digits: number): string {
  return Math.max(0, Math.trunc(value)).toString(8).padStart(digits, "0");
}

function sumOf(block: Buffer): number {
  return block.reduce((sum, byte) => sum + byte, 0);
}

function isZero(block: Buffer): boolean {
  return block.every((byte) => byte === 0);
}

/** Cut at a slash where it is longer than its field. Throws TarError too_large. */
function splitName(name: string): readonly [prefix: string, last: string] {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return ["", name];
  for (let slash = name.indexOf("/"); slash > 0; slash = name.indexOf("/", slash + 1)) {
    const [prefix, last] = [name.slice(0, slash), name.slice(slash + 1)];
    if (Buffer.byteLength(last) <= MAX_NAME_BYTES && Buffer.byteLength(prefix) <= MAX_PREFIX_BYTES)
      return [prefix, last];
  }
  throw new TarError("too_large", `the path ${name} is too long for an archive`);
}
