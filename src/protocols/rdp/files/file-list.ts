import type { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";
import { type CopiedFile, MOST_FILES, type OfferedFile } from "./file-messages.ts";

/** CLIPRDR_FILEDESCRIPTOR, MS-RDPECLIP 2.2.5.2.3.1. */
const DESCRIPTOR_BYTES = 592;
const NAME_UNITS = 260;
/** Beside the zero at the end. */
const MOST_NAME_UNITS = NAME_UNITS - 1;
/** Which fields of a descriptor count. */
const HAS = { attributes: 0x4, size: 0x40, progress: 0x4000 } as const;
const ATTRIBUTE = { folder: 0x10, normal: 0x80 } as const;
const UPPER = 2 ** 32;

/**
 * CLIPRDR_FILELIST, 2.2.5.2.3: U32 count, descriptors; each U32 which fields count, 32 reserved, U32 attributes, 16
 * reserved, U64 last change, U32 size's upper half, U32 lower half, 260 units of UTF-16. No time is told.
 */
export function encodeFileList(files: readonly OfferedFile[]): Uint8Array {
  const to = new LittleEndianWriter(4 + files.length * DESCRIPTOR_BYTES).u32(files.length);
  for (const { name, size } of files) {
    to.u32(HAS.attributes | HAS.size | HAS.progress)
      .pad(32)
      .u32(ATTRIBUTE.normal)
      .pad(24)
      .u32(Math.floor(size / UPPER))
      .u32(size % UPPER)
      .utf16(name.slice(0, MOST_NAME_UNITS))
      .pad(2 * (NAME_UNITS - Math.min(name.length, MOST_NAME_UNITS)));
  }
  return to.bytes();
}

/** null for more than are taken. Throws RdpError for a list that is shorter than it says. */
export function decodeFileList(from: LittleEndianReader): readonly CopiedFile[] | null {
  const count = from.u32();
  if (count > MOST_FILES) return null;
  const files: CopiedFile[] = [];
  for (let i = 0; i < count; i++) files.push(readDescriptor(from.part(DESCRIPTOR_BYTES)));
  return files;
}

function readDescriptor(from: LittleEndianReader): CopiedFile {
  const has = from.u32();
  from.skip(32);
  const attributes = from.u32();
  from.skip(24);
  const size = from.u32() * UPPER + from.u32();
  const isFolder = (has & HAS.attributes) !== 0 && (attributes & ATTRIBUTE.folder) !== 0;
  const isSaid = (has & HAS.size) !== 0 && Number.isSafeInteger(size);
  return { path: nameIn(from.rest()), size: isFolder || !isSaid ? null : size, isFolder };
}

function nameIn(bytes: Uint8Array): string {
  const text = new TextDecoder("utf-16le").decode(bytes);
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}
