import type { Signal } from "@preact/signals";
import type { TokenBody } from "../../api/tokens-api.ts";

export type Toolset = NonNullable<TokenBody["toolsets"]>[number];

const SETS = [
  ["core", "Core: what most work on a desktop needs"],
  ["read", "Read: look, and change nothing"],
  ["overlay", "Overlay: point things out to people"],
  ["input", "Input: mouse, keys and clipboard"],
  ["admin", "Admin: modes, recordings and desktops, as far as the role goes"],
] as const satisfies readonly (readonly [Toolset, string])[];

/** Which tools a token has over MCP: those of all chosen sets together. */
export function ToolsetChecks({ chosen }: { readonly chosen: Signal<readonly Toolset[]> }) {
  return (
    <fieldset class="checks">
      <legend>Tools</legend>
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
