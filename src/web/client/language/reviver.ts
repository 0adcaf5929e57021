/** Of one thing that is asked about: values are words of ours only where they are no name. */
const OWN_VALUE = /^(?:\d[\d.]* \D*|no|yes, not shown)$/;

/** For `JSON.parse`: the fields in which the server words something. */
export function reviverOf(say: (text: string) => string): (key: string, value: unknown) => unknown {
  return (key, value) => {
    if ((key === "summary" || key === "scope") && typeof value === "string") return say(value);
    if (key === "details" && Array.isArray(value)) return value.map((one) => detailIn(say, one));
    // A mark that the desktop itself set.
    if (isObject(value) && value["is_set"] === false) return { ...value, label: say(String(value["label"])) };
    if (isObject(value) && value["type"] === "gap")
      return { ...value, reason: String(value["reason"]).split("; ").map(say).join("; ") };
    return value;
  };
}

function detailIn(say: (text: string) => string, detail: unknown): unknown {
  if (!isObject(detail)) return detail;
  const [name, value] = [String(detail["name"]), String(detail["value"])];
  return { name: say(name), value: OWN_VALUE.test(value) ? say(value) : value };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
