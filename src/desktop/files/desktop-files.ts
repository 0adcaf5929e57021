import { type Clock, delay } from "../../platform/clock.ts";
import {
  type CopiedFile,
  type FilesEvent,
  MOST_FILE_BYTES,
} from "../../protocols/rdp/files/file-messages.ts";
import { LinkError, RefusedError } from "../error.ts";
import type { Link } from "../link.ts";
import { folderOf, nameOf } from "./file-name.ts";
import { SentFiles } from "./sent-files.ts";

/** Of one desktop at once. */
const MOST_DOWNLOADS = 4;
/** A host that has not given bytes for so long gives none. */
const ANSWER_MS = 30_000;
/** Of a file whose size the host does not say. */
const MOST_UNSIZED_BYTES = 2 * 1024 ** 3;

/** What was copied on a desktop, as people see it. */
interface CopiedList {
  /** Names this copy among all of the connection. */
  readonly list: number;
  /** null: more than are taken. */
  readonly files: readonly ShownFile[] | null;
}

interface ShownFile {
  readonly name: string;
  /** Where it lay in what was copied: "a/b"; empty at its top. */
  readonly folder: string;
  readonly size: number | null;
}

/** A file on its way from a desktop. */
interface Download {
  readonly name: string;
  readonly size: number | null;
  /** As fast as it is read; returning ends it. Throws LinkError or RefusedError. */
  readonly parts: AsyncGenerator<Uint8Array, void>;
}

interface DesktopFilesPorts {
  readonly clock: Clock;
  /** Where files lie that are sent; absent: none can be. */
  readonly folder: string | undefined;
  link(): Pick<Link, "files"> | null;
}

const NOTHING_COPIED = { list: 0, files: [] } as const;

/**
 * Files from and to one desktop. They are neither events of the desktop nor anything that an audience sees: no recording
 * has anything of them.
 */
export class DesktopFiles {
  readonly sent: SentFiles;
  readonly #ports: DesktopFilesPorts;
  readonly #reads = new Map<number, (bytes: Uint8Array | null) => void>();
  #isAble = false;
  #copied: { readonly list: number; readonly files: readonly CopiedFile[] | null } = NOTHING_COPIED;
  #nextRead = 1;
  #downloads = 0;

  constructor(ports: DesktopFilesPorts) {
    this.#ports = ports;
    this.sent = new SentFiles({ ...ports, link: () => ports.link(), isAble: () => this.#isAble });
  }

  /** Whether files go to and from the target of the moment. */
  get isAble(): boolean {
    return this.#isAble;
  }

  /** What was copied there last, where that was files. Folders go as what lies in them. */
  get copied(): CopiedList {
    const { list, files } = this.#copied;
    if (files === null) return { list, files };
    return {
      list,
      files: files.map(({ path, size }) => ({ name: nameOf(path), folder: folderOf(path), size })),
    };
  }

  /** Whether an entry of what was copied is a folder, which has no bytes. */
  isFolder(index: number): boolean {
    return this.#copied.files?.[index]?.isFolder === true;
  }

  hear(event: FilesEvent): void {
    switch (event.kind) {
      case "able":
        this.#isAble = true;
        this.sent.reoffer();
        break;
      case "copied":
        this.#copied = event;
        break;
      case "read":
        this.#reads.get(event.id)?.(event.bytes);
        break;
      case "wanted":
        this.sent.give(event);
        break;
    }
  }

  /** The connection is gone. */
  lost(): void {
    this.#isAble = false;
    this.#copied = NOTHING_COPIED;
    for (const answer of [...this.#reads.values()]) answer(null);
  }

  /** Throws RefusedError not_found for what is no file of what was copied last, too_many. */
  download(list: number, index: number, signal: AbortSignal): Download {
    const file = list === this.#copied.list ? this.#copied.files?.[index] : undefined;
    if (file === undefined || file.isFolder) {
      throw new RefusedError(
        "not_found",
        "this is no file that was copied on the desktop last: copy it there again",
      );
    }
    if (this.#downloads >= MOST_DOWNLOADS) {
      throw new RefusedError(
        "too_many",
        `${this.#downloads} files are being taken from this desktop: wait for one of them`,
      );
    }
    return { name: nameOf(file.path), size: file.size, parts: this.#parts(list, index, file.size, signal) };
  }

  close(): void {
    this.lost();
    this.sent.close();
  }

  async *#parts(list: number, index: number, size: number | null, signal: AbortSignal) {
    this.#downloads++;
    try {
      const most = size ?? MOST_UNSIZED_BYTES;
      for (let offset = 0; offset < most; ) {
        signal.throwIfAborted();
        const bytes = await this.#read(
          { list, index, offset, bytes: Math.min(MOST_FILE_BYTES, most - offset) },
          signal,
        );
        if (bytes.length === 0) {
          if (size === null) return;
          throw new LinkError("protocol_error", `got ${offset} bytes of a file, expected ${size}`);
        }
        offset += bytes.length;
        yield bytes;
      }
      if (size === null) throw new LinkError("protocol_error", "got a file without an end");
    } finally {
      this.#downloads--;
    }
  }

  async #read(
    asked: { readonly list: number; readonly index: number; readonly offset: number; readonly bytes: number },
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const id = this.#nextRead++;
    const link = this.#ports.link();
    if (link?.files === undefined || !this.#isAble) throw noLonger();
    const limit = new AbortController();
    const onAbort = (): void => limit.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const answer = new Promise<Uint8Array | null>((resolve) => this.#reads.set(id, resolve));
      link.files({ kind: "read", id, ...asked });
      const late = delay(this.#ports.clock, ANSWER_MS, limit.signal).then(() => {
        throw new LinkError("stalled", "the desktop gave no bytes of the file for 30 s");
      });
      const bytes = await Promise.race([answer, late]);
      if (bytes === null) throw noLonger();
      return bytes;
    } finally {
      this.#reads.delete(id);
      signal.removeEventListener("abort", onAbort);
      limit.abort();
    }
  }
}

function noLonger(): LinkError {
  return new LinkError("refused", "the desktop does not give the file: copy it there again");
}
