import type { Signal } from "@preact/signals";
import type { TokenBody } from "../../api/tokens-api.ts";
import { t } from "../language/language.ts";

export type Toolset = NonNullable<TokenBody["toolsets"]>[number];

const SETS = [
  ["core", t`Core: what most work on a desktop needs`],
  ["read", t`Read: look, and change nothing`],
  ["overlay", t`Overlay: point things out to people`],
  ["input", t`Input: mouse, keys and clipboard`],
  ["admin", t`Admin: modes, recordings and desktops, as far as the role goes`],
] as const satisfies readonly (readonly [Toolset, string])[];

/** Which tools a token has over MCP: those of all chosen sets together. */
export function ToolsetChecks({ chosen }: { readonly chosen: Signal<readonly Toolset[]> }) {
  return (
    <fieldset class="checks">
      <legend>{t`Tools`}</legend>
      {SETS.map(([name, words]) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={chosen.value.includes(name)}
            onChange={(event) => {
              const others = chosen.value.filter((one) => one !== name);
              chosen.value = event.currentTarget.checked ? [...others, name] : others;
            }}
          />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  );
}
