/** Fields of answers of the DevTools protocol, which are what a browser says and nothing that is trusted. */

export function objectIn(value: unknown, ...names: readonly string[]): Record<string, unknown> {
  let found = value;
  for (const name of names) found = isObject(found) ? found[name] : undefined;
  return isObject(found) ? found : {};
}

export function textIn(value: unknown, ...names: readonly string[]): string {
  const found = objectIn(value, ...names.slice(0, -1))[names.at(-1) ?? ""];
  return typeof found === "string" ? found : "";
}

/** -1 where there is no number. */
export function numberIn(value: unknown, ...names: readonly string[]): number {
  const found = objectIn(value, ...names.slice(0, -1))[names.at(-1) ?? ""];
  return typeof found === "number" && Number.isFinite(found) ? found : -1;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
