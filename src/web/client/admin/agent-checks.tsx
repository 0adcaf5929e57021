import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../language/language.ts";
import { adminApi } from "./admin-api.ts";

const EVERY = "*";

/** Which agents something is for: names of their tokens, others by name or id, or every one. */
export function AgentChecks({ chosen }: { readonly chosen: Signal<readonly string[]> }) {
  /** Names of agents' tokens, each once. */
  const known = useSignal<readonly string[]>([]);
  useEffect(() => {
    adminApi.tokens().then(
      (tokens) => {
        known.value = [...new Set(tokens.filter(({ role }) => role === "agent").map(({ name }) => name))];
      },
      // They can be written by hand.
      () => undefined,
    );
  }, []);
  const isEvery = chosen.value.includes(EVERY);
  const others = chosen.value.filter((name) => name !== EVERY && !known.value.includes(name));
  const choose = (name: string, isChosen: boolean): void => {
    const rest = chosen.value.filter((one) => one !== name);
    chosen.value = isChosen ? [...rest, name] : rest;
  };
  return (
    <fieldset class="checks">
      <legend>{t`For agents`}</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={isEvery}
          onChange={(event) => choose(EVERY, event.currentTarget.checked)}
        />
        <span>{t`Every agent`}</span>
      </label>
      {!isEvery &&
        known.value.map((name) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={chosen.value.includes(name)}
              onChange={(event) => choose(name, event.currentTarget.checked)}
            />
            <span>{name}</span>
          </label>
        ))}
      {!isEvery && (
        <label class="field">
          <span>{t`Others, by name or id, with commas between`}</span>
          <input
            defaultValue={others.join(", ")}
            placeholder="stdio"
            spellcheck={false}
            onChange={(event) => {
              const named = event.currentTarget.value.split(",").map((name) => name.trim());
              const ticked = chosen.value.filter((name) => known.value.includes(name));
              chosen.value = [...new Set([...ticked, ...named.filter((name) => name !== "")])];
            }}
          />
        </label>
      )}
    </fieldset>
  );
}
