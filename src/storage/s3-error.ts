/** What the archive said to a request, or that it said nothing. `message`: lower case, no dot, no address and no key. */
export class S3Error extends Error {
  override readonly name = "S3Error";
  /** Of HTTP; 0: there was no answer. */
  readonly status: number;
  /** The server's own word, such as NoSuchUpload; "" for none. */
  readonly code: string;
  /** What Retry-After asks for; 0: nothing. */
  readonly pauseMs: number;

  constructor(
    message: string,
    {
      status = 0,
      code = "",
      pauseMs = 0,
      cause,
    }: Partial<Pick<S3Error, "status" | "code" | "pauseMs" | "cause">>,
  ) {
    super(message, { cause });
    this.status = status;
    this.code = code;
    this.pauseMs = pauseMs;
  }
}

/** What an answer means, in words that say what to do. `what`: was to be done, such as "store a file". */
export function s3Words(what: string, status: number, code: string): string {
  const said = code === "" ? `${status}` : `${status} ${code}`;
  const why = WHY[code] ?? WHY_STATUS[status] ?? "see what the server says of it";
  return `the archive refused to ${what} (${said}): ${why}`;
}

const WHY: Readonly<Record<string, string>> = {
  NoSuchBucket: "make the bucket that recording.archive.bucket names",
  InvalidAccessKeyId: "recording.archive.access_key is not known there",
  SignatureDoesNotMatch: "recording.archive.secret_key or region is not the right one",
  RequestTimeTooSkewed: "set this machine's clock",
  AccessDenied: "give the access key the rights that docs/guides/archive.md lists",
  SlowDown: "it is tried again more slowly",
  BadDigest: "what arrived was not what was sent",
  XAmzContentSHA256Mismatch: "what arrived was not what was sent",
  InvalidRequest:
    "where it is about a lock: the bucket has to be made with Object Lock, else set recording.archive.lock_days to 0",
  QuotaExceeded: "the bucket is full",
};

const WHY_STATUS: Readonly<Record<number, string>> = {
  403: "see that recording.archive.access_key, secret_key and region are right, and give the key the rights that docs/guides/archive.md lists",
  429: "it is tried again more slowly",
  500: "it is tried again",
  502: "it is tried again",
  503: "it is tried again more slowly",
  504: "it is tried again",
};
