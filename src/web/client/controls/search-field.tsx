import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../language/language.ts";
import { isTyping } from "../shell/keyboard-focus.ts";
import { Icon } from "./icon.tsx";

export interface SearchFieldProps {
  /** What it finds: "Find a desktop". */
  readonly label: string;
  readonly query: Signal<string>;
}

/** A field to find one of many, which "/" leads to. */
export function SearchField({ label, query }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "/" || isTyping(event)) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <label class="search">
      <Icon shape="search" />
      <span class="visually-hidden">{label}</span>
      <input
        ref={field}
        type="search"
        placeholder={t`Find  /`}
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
        }}
      />
    </label>
  );
}
