#!/usr/bin/env node
import { enableCompileCache } from "./platform/compile-cache.ts";

enableCompileCache();
// Loaded after that, so that its modules are taken from there.
await import("./cli/program.ts");
