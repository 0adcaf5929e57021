import { effect, signal } from "@preact/signals";
import { recall, remember } from "./remembered.ts";

const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const NAME = "theme";

/** What the person chose; around a canvas "system" means dark. */
export const theme = signal<Theme>(THEMES.find((theme) => theme === recall(NAME)) ?? "system");

/** Writes the choice to the page and to storage on every change. */
export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
    remember(NAME, theme.value);
  });
}

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "system";
}
