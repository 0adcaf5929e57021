import { type Signal, signal } from "@preact/signals";

/** What this browser keeps for a person, over reloads. */
const PREFIX = "overlay-companion.";
const DESKTOPS = "desktops";
/** Desktops come and go: the settings of those that were changed least lately are forgotten. */
const MOST_DESKTOPS = 100;

/** What is kept under a name; null where nothing is, or where the browser keeps nothing for us. */
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** A browser that keeps nothing for us starts with the defaults each time. */
export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    return;
  }
}

/** Settings by the id of their desktop, and by name there; those that were changed last stand last. */
type Kept = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function keptDesktops(): Kept {
  try {
    // What another version wrote is judged value by value, where it is used.
    return Object(JSON.parse(recall(DESKTOPS) ?? "{}"));
  } catch {
    return {};
  }
}

/**
 * A signal that keeps its value for one desktop: it begins with what was kept there under `name`, where `isOne` knows that
 * for a value, else with `initial`.
 */
export function remembered<Value>(
  desktopId: string,
  name: string,
  initial: Value,
  isOne: (kept: unknown) => kept is Value,
): Signal<Value> {
  const kept = keptDesktops()[desktopId]?.[name];
  let last = isOne(kept) ? kept : initial;
  const made = signal(last);
  made.subscribe((value) => {
    if (value === last) return;
    last = value;
    // Read again: other windows keep theirs in the same place.
    const { [desktopId]: own, ...others } = keptDesktops();
    const newest = Object.entries(others).slice(1 - MOST_DESKTOPS);
    remember(
      DESKTOPS,
      JSON.stringify(Object.fromEntries([...newest, [desktopId, { ...own, [name]: value }]])),
    );
  });
  return made;
}

export function rememberedFlag(desktopId: string, name: string, initial: boolean): Signal<boolean> {
  return remembered(desktopId, name, initial, (kept) => typeof kept === "boolean");
}
