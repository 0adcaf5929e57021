import { BLOCK_HEADER_BYTES, BLOCK_KIND, writeBlockHeader } from "../format/block.ts";
import { writeDirectory } from "../format/block-directory.ts";
import { BlockIndex } from "../format/block-index.ts";
import { readHead } from "../format/head.ts";
import { RecordingError } from "../library/error.ts";
import type { Verification } from "../library/recording-types.ts";
import { inflateBody } from "../read/block-source.ts";
import { localFiles, type RecordingFiles } from "../read/recording-files.ts";
import { type Segment, segmentName } from "../write/segments.ts";
import { type ChainEnd, type ScannedBlock, scanChain } from "./chain-scan.ts";
import { readSeal, SEAL_DRAFT, SEAL_FILE, type Seal } from "./seal.ts";
import type { SealRegister } from "./seal-register.ts";
import { SIGNATURE_BYTES, type TrustedSigner } from "./signing-key.ts";

/** As `verifyFiles`, of a folder. */
export function verifyFolder(
  folder: string,
  id: string,
  signer: TrustedSigner,
  register: SealRegister | null,
): Promise<Verification> {
  return verifyFiles(localFiles(folder), id, signer, register);
}

/**
 * Reads every byte of a recording, wherever it lies. Whole and signed by us: sealed. Whole to the middle of its last block, and
 * never sealed as far as the register tells, where there is one: unsealed. All else is tampered, with where.
 */
export async function verifyFiles(
  files: RecordingFiles,
  id: string,
  signer: TrustedSigner,
  register: SealRegister | null,
): Promise<Verification> {
  const check = new Check(id, signer);
  try {
    const names = await files.names();
    const segments = await files.segments();
    const expected = new Set([SEAL_FILE, SEAL_DRAFT, ...segments.map((_, number) => segmentName(number))]);
    const foreign = names.find((name) => !expected.has(name));
    if (foreign !== undefined) return check.tampered(`there is a file that is no part of it: ${foreign}`);
    const seal = await readSeal(files, signer);
    if (seal !== null && names.includes(SEAL_DRAFT)) return check.tampered("there are two seals");
    if (seal === null && (await register?.has(id)) === true) {
      return check.tampered("its seal was removed: the register says that it had one");
    }
    return await check.run(segments, seal);
  } catch (error) {
    // Where nothing answered nothing is wrong with the recording.
    if (!(error instanceof RecordingError) || error.code === "unreachable") throw error;
    return check.tampered(error.message);
  }
}

/** One verification under way. */
class Check {
  readonly #id: string;
  readonly #signer: TrustedSigner;
  #blocks = 0;
  #intactBytes = 0;
  #bytes = 0;
  #indexAt = 0;
  #directoryAt: number | undefined;
  /** What the directory has to say. */
  readonly #index = new BlockIndex();
  #hash = "";
  /** Headers since the last index, which must list them. */
  #unlisted: Buffer[] = [];

  constructor(id: string, signer: TrustedSigner) {
    this.#id = id;
    this.#signer = signer;
  }

  async run(segments: readonly Segment[], seal: Seal | null): Promise<Verification> {
    this.#bytes = segments.reduce((sum, { size }) => sum + size, 0);
    const scan = scanChain(segments);
    let end: ChainEnd;
    for (;;) {
      const next = await scan.next();
      if (next.done) {
        end = next.value;
        break;
      }
      const problem = await this.#look(next.value);
      if (problem !== null) {
        await scan.return({ kind: "damaged", at: next.value.at, problem });
        return this.tampered(`${problem}, at byte ${next.value.at}`);
      }
      this.#intactBytes =
        next.value.at + BLOCK_HEADER_BYTES + next.value.body.length + next.value.hash.length;
    }
    if (end.kind === "damaged") return this.tampered(`${end.problem ?? "damaged"}, at byte ${end.at}`);
    if (seal === null) return this.#unsealed(end);
    return this.#against(seal, segments, end);
  }

  tampered(problem: string): Verification {
    return this.#result("tampered", problem);
  }

  /** What is wrong with a block whose hash is right; null where nothing is. */
  async #look({ header, at, body, hashBefore, hash }: ScannedBlock): Promise<string | null> {
    if ((header.kind === BLOCK_KIND.head) !== (header.sequence === 0)) {
      return `block ${header.sequence} is no head, or one in the wrong place`;
    }
    if (header.kind === BLOCK_KIND.head) {
      const head = readHead(body);
      if (head.id !== this.#id) return "it is another recording, under this one's name";
      if (!this.#signer.has(head.publicKey)) return "it was signed by another appliance";
    }
    if (header.kind === BLOCK_KIND.index) {
      const raw = await inflateBody(body, header);
      const signature = raw.subarray(raw.length - SIGNATURE_BYTES);
      if (!this.#signer.isOurs(hashBefore, signature)) return "an index is not signed by this appliance";
      const listed = raw.subarray(8, raw.length - SIGNATURE_BYTES);
      if (!listed.equals(Buffer.concat(this.#unlisted)) || raw.readBigUInt64BE(0) !== BigInt(this.#indexAt)) {
        return "an index does not list what lies before it";
      }
      this.#indexAt = at;
      this.#unlisted = [];
    }
    if (header.kind === BLOCK_KIND.directory) {
      const raw = await inflateBody(body, header);
      if (!raw.equals(writeDirectory(this.#index.pages))) return "the directory does not list the indices";
      this.#directoryAt = at;
    }
    this.#index.add(header, at);
    this.#unlisted.push(writeBlockHeader(header));
    this.#blocks = header.sequence + 1;
    this.#hash = hash.toString("hex");
    return null;
  }

  #unsealed(end: ChainEnd): Verification {
    if (this.#blocks === 0 && this.#bytes > 0 && end.kind === "whole")
      return this.tampered("it has no block");
    const lost = this.#bytes - this.#intactBytes;
    return this.#result(
      "unsealed",
      `it was never sealed: it still runs, or its process ended before it was stopped${lost > 0 ? `, in the middle of its last ${lost} bytes` : ""}`,
    );
  }

  #against(seal: Seal, segments: readonly Segment[], end: ChainEnd): Verification {
    if (seal.id !== this.#id) return this.tampered("the seal is another recording's");
    const isWhole =
      end.kind === "whole" &&
      seal.segments === segments.length &&
      seal.bytes === this.#bytes &&
      seal.blocks === this.#blocks &&
      seal.indexAt === this.#indexAt &&
      seal.directoryAt === this.#directoryAt &&
      seal.hash === this.#hash;
    if (isWhole) return this.#result("sealed", null);
    return this.tampered(
      `the seal is for ${seal.blocks} blocks of ${seal.bytes} bytes, there are ${this.#blocks} of ${this.#intactBytes}`,
    );
  }

  #result(state: Verification["state"], problem: string | null): Verification {
    return {
      id: this.#id,
      state,
      problem,
      intactBytes: this.#intactBytes,
      bytes: this.#bytes,
      blocks: this.#blocks,
    };
  }
}
