import { effect, signal } from "@preact/signals";

const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "overlay-companion.theme";

function stored(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? "system";
  } catch {
    // A browser that keeps nothing for us still has a system theme.
    return "system";
  }
}

/** What the person chose; around a canvas "system" means dark. */
export const theme = signal<Theme>(stored());

/** Writes the choice to the page and to storage on every change. */
export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
    try {
      localStorage.setItem(KEY, theme.value);
    } catch {
      return;
    }
  });
}

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "system";
}
