/** A file that we offer. */
export interface OfferedFile {
  readonly name: string;
  readonly size: number;
}

/** A file or a folder that was copied on the host, as the host says. */
export interface CopiedFile {
  /** Below what was copied: folders are divided by backslashes. May hold anything. */
  readonly path: string;
  /** null: the host does not say. */
  readonly size: number | null;
  readonly isFolder: boolean;
}

/** What a host is asked for, or given. */
export type FilesCommand =
  /** These and no others are offered from now on, under this number; none: nothing is any more. */
  | { readonly kind: "offer"; readonly offer: number; readonly files: readonly OfferedFile[] }
  /** Asks for bytes of what was copied; answered by `read` under the same id. */
  | {
      readonly kind: "read";
      readonly id: number;
      readonly list: number;
      readonly index: number;
      readonly offset: number;
      readonly bytes: number;
    }
  /** The answer to `wanted`; null: they cannot be had. */
  | { readonly kind: "give"; readonly id: number; readonly bytes: Uint8Array | null };

/** What a host says of files. */
export type FilesEvent =
  /** It can take files, and give them. */
  | { readonly kind: "able" }
  /** These were copied there, and are called by this number; none: something else was. null: more than are taken. */
  | { readonly kind: "copied"; readonly list: number; readonly files: readonly CopiedFile[] | null }
  /** null: the host does not give them, or gave too many. None: the file ends there. */
  | { readonly kind: "read"; readonly id: number; readonly bytes: Uint8Array | null }
  /** It wants bytes of what was offered under that number; they lie within the file. */
  | {
      readonly kind: "wanted";
      readonly id: number;
      readonly offer: number;
      readonly index: number;
      readonly offset: number;
      readonly bytes: number;
    };

/** How many bytes are asked for, and given, at once. */
export const MOST_FILE_BYTES = 256 * 1024;
/** Files in one list. */
export const MOST_FILES = 1000;
