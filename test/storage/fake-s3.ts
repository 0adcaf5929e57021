import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { SendToS3 } from "../../src/storage/s3-bucket.ts";

type S3Request = Parameters<SendToS3>[0];
type S3Answer = Awaited<ReturnType<SendToS3>>;

interface Upload {
  readonly key: string;
  readonly sha256: string;
  readonly parts: Map<number, Buffer>;
}

/** What a request is, in short: "PUT a/b", "PUT a/b#2" for a part, "POST a/b?begin". */
export interface Asked {
  readonly name: string;
  readonly bytes: number;
}

/** The archive of tests about faults, which no real server makes on demand. What is right is tested against radosgw. */
export class FakeS3 {
  readonly objects = new Map<
    string,
    { readonly bytes: Buffer; readonly sha256: string; readonly etag?: string }
  >();
  /** Until when each is locked, ISO 8601. */
  readonly locks = new Map<string, string>();
  /** The server's own clock. */
  now = new Date(0);
  readonly uploads = new Map<string, Upload>();
  readonly asked: Asked[] = [];
  /** Answers instead, or throws; null: as ever. */
  fault: (request: S3Request, name: string) => S3Answer | null = () => null;
  /** What is not answered until the request is given up. */
  hang: (name: string) => boolean = () => false;
  /** Bytes that were given. */
  readBytes = 0;
  #begun = 0;

  readonly send: SendToS3 = async (request) => {
    request.signal.throwIfAborted();
    const url = new URL(request.url);
    // Path style: /bucket/key.
    const key = url.pathname.split("/").slice(2).join("/");
    const name = nameOf(request.method, key, url.searchParams);
    const body = Buffer.concat(request.body);
    this.asked.push({ name, bytes: body.length });
    if (this.hang(name)) {
      await new Promise((_resolve, reject) => {
        request.signal.addEventListener("abort", () => reject(request.signal.reason));
      });
    }
    return this.fault(request, name) ?? this.#answer(request, key, url.searchParams, body);
  };

  /** Bytes of pieces that were sent. */
  get sentBytes(): number {
    return this.asked
      .filter(({ name }) => name.startsWith("PUT "))
      .reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #answer({ method, headers }: S3Request, key: string, query: URLSearchParams, body: Buffer): S3Answer {
    if (!isAsTold(headers, body)) return answer(400, errorXml("BadDigest"));
    const upload = this.uploads.get(query.get("uploadId") ?? "");
    if (query.has("uploadId") && upload === undefined) return answer(404, errorXml("NoSuchUpload"));
    if (upload !== undefined) return this.#inUpload(method, query, upload, body);
    if (query.has("uploads")) return method === "POST" ? this.#begin(key, headers) : this.#uploads(query);
    const there = this.objects.get(key);
    if (query.has("versions")) return this.#versions(query);
    if (query.has("retention")) return this.#retention(method, key, body);
    if (method === "DELETE") {
      if ((this.locks.get(key) ?? "") > this.now.toISOString()) return answer(403, errorXml("AccessDenied"));
      this.objects.delete(key);
      return answer(204);
    }
    if (method === "PUT") {
      if (there !== undefined && headers["if-none-match"] === "*")
        return answer(412, errorXml("PreconditionFailed"));
      this.objects.set(key, { bytes: body, sha256: headers["x-amz-meta-sha256"] ?? "" });
      return answer(200);
    }
    if (key === "") return this.#list(query);
    if (there === undefined) return answer(404);
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers["range"] ?? "") ?? [];
    if (method === "GET") {
      const bytes = from === undefined ? there.bytes : there.bytes.subarray(Number(from), Number(to) + 1);
      this.readBytes += bytes.length;
      const length = { "content-length": String(bytes.length) };
      return { status: from === undefined ? 200 : 206, headers: length, body: Readable.from([bytes]) };
    }
    return answer(200, "", {
      "content-length": String(there.bytes.length),
      "x-amz-meta-sha256": there.sha256,
      etag: `"${there.etag ?? md5(there.bytes)}"`,
    });
  }

  #begin(key: string, headers: S3Request["headers"]): S3Answer {
    const id = `upload&${++this.#begun}`;
    this.uploads.set(id, { key, sha256: headers["x-amz-meta-sha256"] ?? "", parts: new Map() });
    return answer(
      200,
      `<InitiateMultipartUploadResult><UploadId>${escaped(id)}</UploadId></InitiateMultipartUploadResult>`,
    );
  }

  #uploads(query: URLSearchParams): S3Answer {
    const listed = [...this.uploads].filter(([, { key }]) => key.startsWith(query.get("prefix") ?? ""));
    const xml = listed.map(
      ([id, { key }], nth) =>
        `<Upload><Key>${key}</Key><UploadId>${escaped(id)}</UploadId><Initiated>2026-01-01T00:00:0${nth}Z</Initiated></Upload>`,
    );
    return answer(200, `<ListMultipartUploadsResult>${xml.join("")}</ListMultipartUploadsResult>`);
  }

  /** Three a page: whoever reads only the first does not know of the others. */
  #list(query: URLSearchParams): S3Answer {
    const after = query.get("continuation-token") ?? "";
    const names = [...this.objects.keys()].filter((name) => name.startsWith(query.get("prefix") ?? ""));
    const rest = names.sort().filter((name) => name > after);
    const page = rest.slice(0, 3);
    const contents = page.map(
      (name) => `<Contents><Key>${name}</Key><Size>${this.objects.get(name)?.bytes.length}</Size></Contents>`,
    );
    const isCut = rest.length > page.length;
    const next = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
    return answer(
      200,
      `<ListBucketResult>${next}<IsTruncated>${isCut}</IsTruncated>${contents.join("")}</ListBucketResult>`,
    );
  }

  #versions(query: URLSearchParams): S3Answer {
    const names = [...this.objects.keys()].filter((name) => name.startsWith(query.get("prefix") ?? ""));
    const xml = names.map((name) => `<Version><Key>${name}</Key><VersionId>1</VersionId></Version>`);
    return answer(200, `<ListVersionsResult>${xml.join("")}</ListVersionsResult>`);
  }

  #retention(method: string, key: string, body: Buffer): S3Answer {
    if (method === "PUT") this.locks.set(key, /<RetainUntilDate>(.*)<\/R/.exec(body.toString())?.[1] ?? "");
    const until = this.locks.get(key);
    if (until === undefined) return answer(404, errorXml("NoSuchObjectLockConfiguration"));
    return answer(200, `<Retention><RetainUntilDate>${until}</RetainUntilDate></Retention>`);
  }

  #inUpload(method: string, query: URLSearchParams, upload: Upload, body: Buffer): S3Answer {
    const id = query.get("uploadId") ?? "";
    if (method === "PUT") {
      upload.parts.set(Number(query.get("partNumber")), body);
      return answer(200, "", { etag: `"${md5(body)}"` });
    }
    if (method === "DELETE") {
      this.uploads.delete(id);
      return answer(204);
    }
    if (method === "POST") {
      const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)/g)].map(([, number]) => Number(number));
      const bytes = Buffer.concat(numbers.map((number) => upload.parts.get(number) ?? Buffer.alloc(0)));
      const md5s = numbers.map((number) =>
        Buffer.from(md5(upload.parts.get(number) ?? Buffer.alloc(0)), "hex"),
      );
      const etag = `${md5(Buffer.concat(md5s))}-${md5s.length}`;
      this.objects.set(upload.key, { bytes, sha256: upload.sha256, etag });
      this.uploads.delete(id);
      return answer(200, "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>");
    }
    // Two a page: whoever reads only the first sends the others again.
    const after = Number(query.get("part-number-marker"));
    const rest = [...upload.parts].filter(([number]) => number > after).sort(([a], [b]) => a - b);
    const page = rest.slice(0, 2);
    const parts = page.map(
      ([number, part]) =>
        `<Part><PartNumber>${number}</PartNumber><Size>${part.length}</Size><ETag>&quot;${md5(part)}&quot;</ETag></Part>`,
    );
    const next = `<NextPartNumberMarker>${page.at(-1)?.[0] ?? 0}</NextPartNumberMarker>`;
    const isCut = `<IsTruncated>${rest.length > page.length}</IsTruncated>`;
    return answer(200, `<ListPartsResult>${next}${isCut}${parts.join("")}</ListPartsResult>`);
  }
}

export function answer(status: number, text = "", headers: Record<string, string> = {}): S3Answer {
  return { status, headers, body: Readable.from([Buffer.from(text)]) };
}

export function errorXml(code: string): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code><Message>words of the server</Message></Error>`;
}

function nameOf(method: string, key: string, query: URLSearchParams): string {
  const part = query.get("partNumber");
  if (part !== null) return `${method} ${key}#${part}`;
  if (query.has("uploads"))
    return method === "POST" ? `POST ${key}?begin` : `GET uploads of ${query.get("prefix")}`;
  if (query.has("uploadId")) return `${method} ${key}?upload`;
  if (query.has("versions")) return `GET versions of ${query.get("prefix")}`;
  if (query.has("retention")) return `${method} ${key}?retention`;
  if (key === "") return `GET list of ${query.get("prefix")}`;
  return `${method} ${key}`;
}

function isAsTold(headers: S3Request["headers"], body: Buffer): boolean {
  const sha256 = createHash("sha256").update(body).digest("hex");
  const told = headers["content-md5"];
  const isMd5 = told === undefined || told === Buffer.from(md5(body), "hex").toString("base64");
  return headers["x-amz-content-sha256"] === sha256 && isMd5 && (body.length === 0 || told !== undefined);
}

function md5(bytes: Buffer): string {
  return createHash("md5").update(bytes).digest("hex");
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;");
}
