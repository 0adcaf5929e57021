// `npm start`: builds where needed, then becomes dist/main.js with all arguments: in this process, so that signals,
// stdin and the exit code are the program's own.
import "./ensure-built.mjs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./source-hash.mjs";

if (process.exitCode === undefined) {
  const main = join(ROOT, "dist", "main.js");
  process.argv[1] = main;
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(main).href);
}
