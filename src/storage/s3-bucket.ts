import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { type Piece, pieceOf } from "./piece.ts";
import { S3Error, s3Words } from "./s3-error.ts";
import { type S3Keys, signedHeaders } from "./s3-sign.ts";
import { elementsOf, textOf } from "./s3-xml.ts";

const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/** A list of 1,000 parts has some 200 KiB. */
const LONGEST_ANSWER = 4 * 1024 * 1024;
/** A list that goes on for longer is a server that answers the same page for ever. */
const MOST_PAGES = 10_000;

interface S3Request {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
  readonly signal: AbortSignal;
}

interface S3Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** Sends it to where something may be sent; `guardedTransfer` with its reach. */
export type SendToS3 = (request: S3Request) => Promise<S3Answer>;

export interface S3Place {
  /** "https://s3.example.com", without a slash at its end. */
  readonly endpoint: string;
  readonly bucket: string;
  /** The bucket in the path, not in the name of the host. */
  readonly isPathStyle: boolean;
}

/** What is known of a stored object. */
export interface S3Object {
  readonly bytes: number;
  /** Of all of it, hex, as it was told when it was stored; "" where it was not. */
  readonly sha256: string;
}

/** Beside it what the server itself calls it by: in most buckets made of the MD5 of what it has. */
export interface S3Stored extends S3Object {
  readonly etag: string;
}

/** One of an object, as a bucket with versions keeps them; "null" in one that keeps none. */
export interface S3Version {
  readonly key: string;
  readonly versionId: string;
  /** It only says that the object was deleted. */
  readonly isMarker: boolean;
}

export interface S3Lock {
  readonly mode: "COMPLIANCE" | "GOVERNANCE";
  readonly until: Date;
}

export interface S3Part {
  readonly bytes: number;
  /** Without its quotes: the MD5 in hex, where the bucket does not encrypt by a key of its own. */
  readonly etag: string;
}

/** What is done, in words for an error, and what of the answer is no error. */
interface Asked {
  readonly what: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly piece?: Pick<Piece, "chunks" | "sha256" | "md5">;
  readonly also?: readonly number[];
}

/**
 * One bucket of an S3-compatible store (Amazon S3 API 2006-03-01): what is sent has its MD5 and its SHA-256 beside it, and the
 * server refuses what arrives otherwise. Nothing is tried again here. Throws S3Error.
 */
export class S3Bucket {
  readonly #base: string;
  readonly #keys: S3Keys;
  readonly #send: SendToS3;

  constructor({ endpoint, bucket, isPathStyle }: S3Place, keys: S3Keys, send: SendToS3) {
    const url = new URL(endpoint);
    this.#base = isPathStyle ? `${endpoint}/${bucket}` : `${url.protocol}//${bucket}.${url.host}`;
    this.#keys = keys;
    this.#send = send;
  }

  /** null: there is none. */
  async head(key: string, signal: AbortSignal): Promise<S3Stored | null> {
    const answer = await this.#ask("HEAD", key, { what: "tell of a file", also: [404] }, signal);
    answer.body.resume();
    if (answer.status === 404) return null;
    return {
      bytes: Number(answer.headers["content-length"]),
      sha256: String(answer.headers["x-amz-meta-sha256"] ?? ""),
      etag: etagOf(answer),
    };
  }

  /** So many bytes of an object from a place on; they are there. null: there is no such object. */
  async read(key: string, from: number, count: number, signal: AbortSignal): Promise<Buffer | null> {
    if (count === 0) return Buffer.alloc(0);
    const what = "give a file";
    const headers = { range: `bytes=${from}-${from + count - 1}` };
    const answer = await this.#ask("GET", key, { what, headers, also: [404] }, signal);
    if (answer.status === 404) {
      answer.body.resume();
      return null;
    }
    const bytes = Number(answer.headers["content-length"]);
    if (bytes !== count) {
      answer.body.destroy();
      throw new S3Error(
        `the archive gave ${bytes} bytes of a file, expected ${count} from ${from} on: does it know ranges, and was the file changed?`,
        { status: answer.status },
      );
    }
    return readBytes(answer.body, count);
  }

  /** Every object whose name begins so, in order of name, some 1,000 at a time. */
  async *list(
    prefix: string,
    signal: AbortSignal,
  ): AsyncGenerator<readonly { readonly key: string; readonly bytes: number }[], void, undefined> {
    let token = "";
    for (let page = 0; page < MOST_PAGES; page++) {
      const next: Record<string, string> = token === "" ? {} : { "continuation-token": token };
      const query = { "list-type": "2", prefix, ...next };
      const xml = await this.#text("GET", "", { what: "list files", query }, signal);
      yield elementsOf(xml, "Contents").map((object) => ({
        key: textOf(object, "Key"),
        bytes: Number(textOf(object, "Size")),
      }));
      token = textOf(xml, "NextContinuationToken");
      if (textOf(xml, "IsTruncated") !== "true" || token === "") return;
    }
  }

  /** Stores an object unless there is one. */
  async put(key: string, piece: Piece, signal: AbortSignal): Promise<void> {
    const headers = { "if-none-match": "*", "x-amz-meta-sha256": piece.sha256 };
    await this.#text("PUT", key, { what: "store a file", headers, piece, also: [412] }, signal);
  }

  /** The uploads in parts of an object that were begun and not ended, the newest last. */
  async uploads(key: string, signal: AbortSignal): Promise<string[]> {
    const query = { uploads: "", prefix: key };
    const xml = await this.#text("GET", "", { what: "list uploads", query }, signal);
    return elementsOf(xml, "Upload")
      .filter((upload) => textOf(upload, "Key") === key)
      .sort((a, b) => textOf(a, "Initiated").localeCompare(textOf(b, "Initiated")))
      .map((upload) => textOf(upload, "UploadId"));
  }

  /** `sha256`: of the whole object. Gives the upload's id. */
  async begin(key: string, sha256: string, signal: AbortSignal): Promise<string> {
    const headers = { "x-amz-meta-sha256": sha256 };
    const xml = await this.#text(
      "POST",
      key,
      { what: "begin an upload", query: { uploads: "" }, headers },
      signal,
    );
    const id = textOf(xml, "UploadId");
    if (id === "")
      throw new S3Error("the archive began an upload and gave it no id: is it S3-compatible?", {});
    return id;
  }

  /** The parts that are there, by number. */
  async parts(key: string, uploadId: string, signal: AbortSignal): Promise<ReadonlyMap<number, S3Part>> {
    const parts = new Map<number, S3Part>();
    let marker = "0";
    for (let page = 0; page < MOST_PAGES; page++) {
      const query = { uploadId, "part-number-marker": marker };
      const xml = await this.#text("GET", key, { what: "list the parts of an upload", query }, signal);
      for (const part of elementsOf(xml, "Part")) {
        const etag = textOf(part, "ETag").replaceAll('"', "");
        parts.set(Number(textOf(part, "PartNumber")), { bytes: Number(textOf(part, "Size")), etag });
      }
      marker = textOf(xml, "NextPartNumberMarker");
      if (textOf(xml, "IsTruncated") !== "true" || marker === "") break;
    }
    return parts;
  }

  /** Gives its ETag. */
  async putPart(
    key: string,
    upload: { readonly id: string; readonly number: number },
    piece: Piece,
    signal: AbortSignal,
  ): Promise<string> {
    const query = { partNumber: String(upload.number), uploadId: upload.id };
    const answer = await this.#ask("PUT", key, { what: "store a part", query, piece }, signal);
    await readText(answer.body);
    return etagOf(answer);
  }

  /** Makes the object of its parts, in order. Once more does nothing. */
  async complete(
    key: string,
    uploadId: string,
    etags: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const parts = etags.map(
      (etag, nth) => `<Part><PartNumber>${nth + 1}</PartNumber><ETag>&quot;${etag}&quot;</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
    const what = "end an upload";
    const xml = await this.#text("POST", key, { what, query: { uploadId }, piece: pieceOf(body) }, signal);
    // It says yes first, and what went wrong only when it is done.
    const code = textOf(xml, "Code");
    if (xml.includes("<Error>")) throw new S3Error(s3Words(what, 200, code), { status: 200, code });
  }

  /** Throws away what was uploaded in parts. */
  async abort(key: string, uploadId: string, signal: AbortSignal): Promise<void> {
    await this.#text("DELETE", key, { what: "end an upload", query: { uploadId }, also: [404] }, signal);
  }

  /** Every version of every object whose name begins so. */
  async versions(prefix: string, signal: AbortSignal): Promise<S3Version[]> {
    const found: S3Version[] = [];
    let next: Record<string, string> = {};
    for (let page = 0; page < MOST_PAGES; page++) {
      const query = { versions: "", prefix, ...next };
      const xml = await this.#text("GET", "", { what: "list versions", query }, signal);
      for (const [element, isMarker] of [
        ["Version", false],
        ["DeleteMarker", true],
      ] as const) {
        for (const one of elementsOf(xml, element)) {
          found.push({ key: textOf(one, "Key"), versionId: textOf(one, "VersionId"), isMarker });
        }
      }
      const key = textOf(xml, "NextKeyMarker");
      if (textOf(xml, "IsTruncated") !== "true" || key === "") break;
      next = { "key-marker": key, "version-id-marker": textOf(xml, "NextVersionIdMarker") };
    }
    return found;
  }

  /** Deletes one version for good. */
  async remove({ key, versionId }: S3Version, signal: AbortSignal): Promise<void> {
    await this.#text("DELETE", key, { what: "delete a file", query: { versionId }, also: [404] }, signal);
  }

  /** Lets nobody delete or change an object until then (Object Lock); the bucket has to be one that can. */
  async lock(key: string, { mode, until }: S3Lock, signal: AbortSignal): Promise<void> {
    const body = `<Retention><Mode>${mode}</Mode><RetainUntilDate>${until.toISOString()}</RetainUntilDate></Retention>`;
    const piece = pieceOf(Buffer.from(body));
    await this.#text("PUT", key, { what: "lock a file", query: { retention: "" }, piece }, signal);
  }

  /** Until when a version cannot be deleted; null: it is not locked, or the server does not say. */
  async lockedUntil({ key, versionId }: S3Version, signal: AbortSignal): Promise<Date | null> {
    const query = { retention: "", versionId };
    const also = [400, 403, 404, 405, 501];
    const xml = await this.#text("GET", key, { what: "tell of a lock", query, also }, signal);
    const until = new Date(textOf(xml, "RetainUntilDate"));
    return Number.isNaN(until.getTime()) ? null : until;
  }

  async #text(method: string, key: string, asked: Asked, signal: AbortSignal): Promise<string> {
    return readText((await this.#ask(method, key, asked, signal)).body);
  }

  async #ask(method: string, key: string, asked: Asked, signal: AbortSignal): Promise<S3Answer> {
    const { what, query = {}, headers = {}, piece, also = [] } = asked;
    const search = new URLSearchParams(query).toString();
    const url = `${this.#base}/${key}${search === "" ? "" : `?${search}`}`;
    const unsigned = {
      ...{ method, url },
      headers: {
        ...headers,
        "x-amz-content-sha256": piece?.sha256 ?? EMPTY_SHA256,
        ...(piece === undefined ? {} : { "content-md5": Buffer.from(piece.md5, "hex").toString("base64") }),
      },
    };
    let answer: S3Answer;
    try {
      const signed = await signedHeaders(unsigned, this.#keys);
      answer = await this.#send({ method, url, headers: signed, body: piece?.chunks ?? [], signal });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new S3Error(`the archive ${why}`, { cause });
    }
    if ((answer.status >= 200 && answer.status < 300) || also.includes(answer.status)) return answer;
    // The answer to HEAD has no body that could say more.
    const code = textOf(await readText(answer.body).catch(() => ""), "Code");
    const pauseS = Number(answer.headers["retry-after"]);
    throw new S3Error(s3Words(what, answer.status, code), {
      ...{ status: answer.status, code },
      pauseMs: Number.isFinite(pauseS) && pauseS > 0 ? pauseS * 1000 : 0,
    });
  }
}

/** Exactly so many. */
async function readBytes(body: Readable, count: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(count);
  let done = 0;
  try {
    for await (const chunk of body) done += Buffer.from(chunk).copy(bytes, done);
  } catch (cause) {
    throw new S3Error("the archive's answer broke off", { cause });
  }
  if (done < count) throw new S3Error(`the archive's answer ended after ${done} of ${count} bytes`, {});
  return bytes;
}

function etagOf({ headers }: S3Answer): string {
  return String(headers["etag"] ?? "").replaceAll('"', "");
}

async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      length += bytes.length;
      if (length > LONGEST_ANSWER)
        throw new S3Error(`the archive's answer is longer than ${LONGEST_ANSWER} bytes`, {});
    }
  } catch (cause) {
    if (cause instanceof S3Error) throw cause;
    throw new S3Error("the archive's answer broke off", { cause });
  }
  return Buffer.concat(chunks).toString("utf8");
}
