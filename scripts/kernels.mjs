// Compiles the kernels (src/framebuffer/kernels/assembly/) to WebAssembly and writes the module that carries its
// bytes, which is committed. Without --write only says whether that is up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const SOURCE = "src/framebuffer/kernels/assembly/index.ts";
const MODULE = join(ROOT, "src/framebuffer/kernels/kernels-wasm.ts");

const { error, binary } = await compile();
if (error !== null) {
  process.stderr.write(`the kernels do not compile: ${error.message}\n`);
  process.exit(1);
}
const made = moduleOf(binary);
if (made === readFileSync(MODULE, { encoding: "utf8", flag: "a+" })) {
  process.stderr.write("kernels-wasm.ts is up to date\n");
} else if (process.argv.includes("--write")) {
  writeFileSync(MODULE, made);
  process.stderr.write(`kernels-wasm.ts written: ${binary.length} bytes of WebAssembly\n`);
} else {
  process.stderr.write(
    "kernels-wasm.ts is not what its sources compile to: run node scripts/kernels.mjs --write\n",
  );
  process.exit(1);
}

async function compile() {
  let bytes = new Uint8Array();
  const options = ["-O3", "--runtime", "stub", "--importMemory", "--noAssert", "--enable", "simd"];
  const result = await asc.main([SOURCE, "--outFile", "kernels.wasm", "--baseDir", ROOT, ...options], {
    stderr: process.stderr,
    writeFile: (name, contents) => {
      if (name.endsWith(".wasm")) bytes = contents;
    },
  });
  return { error: result.error, binary: bytes };
}

function moduleOf(bytes) {
  const text = Buffer.from(bytes).toString("base64");
  const lines = text.match(/.{1,100}/g) ?? [];
  const quoted = lines.map((line) => `  "${line}",`).join("\n");
  return `// Made by scripts/kernels.mjs from assembly/; do not edit.

/** The kernels as WebAssembly, base64 in lines. */
export const KERNELS_WASM: readonly string[] = [
${quoted}
];
`;
}
