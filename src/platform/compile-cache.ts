import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";
import { PACKAGE_FOLDER } from "./package-folder.ts";

/** What @types/node 20 does not know: Node 22.8 and newer have it. */
interface CompileCache extends Pick<typeof nodeModule, "builtinModules"> {
  enableCompileCache?(folder: string): unknown;
  flushCompileCache?(): void;
}

const { enableCompileCache: enable, flushCompileCache: flush }: CompileCache = nodeModule;

/** Beside the program: who could write there could change the program itself. Removed with dist/ by each build. */
const FOLDER = new URL("dist/.compile-cache/", PACKAGE_FOLDER);

/**
 * Modules that are loaded from now on are taken from Node's compile cache, where this Node has one and the folder can be
 * written; elsewhere nothing changes. Node checks that what it takes was made of the same source by the same version.
 */
export function enableCompileCache(): void {
  enable?.(fileURLToPath(FOLDER));
}

/** Writes what was compiled so far: a process that is killed later would leave nothing. */
export function flushCompileCache(): void {
  flush?.();
}
