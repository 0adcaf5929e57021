import { join } from "node:path";
import { KnownTargets } from "../desktop/connections/known-targets.ts";

/** Where a data directory keeps the certificates and keys that targets proved themselves by. */
export function knownTargetsFile(dataDir: string): string {
  return join(dataDir, "known-targets.json");
}

/** A line for each target that has proved who it is: its place and the SHA-256 of its certificate or key. */
export async function listTargets(dataDir: string): Promise<string> {
  const known = await KnownTargets.open(knownTargetsFile(dataDir));
  const lines = [...known.all].map(([place, fingerprint]) => `${place}  ${fingerprint}\n`);
  return lines.length === 0 ? "no target has shown a certificate or a key\n" : lines.join("");
}

/** null where none of that place was known. */
export async function forgetTarget(dataDir: string, place: string): Promise<string | null> {
  const known = await KnownTargets.open(knownTargetsFile(dataDir));
  if (!(await known.forget(place))) return null;
  return `${place}  forgotten; a running appliance takes it at its next start\n`;
}
