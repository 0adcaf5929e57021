import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Rect } from "../../../framebuffer/rect.ts";
import type { MaskBody, MaskInfo } from "../../api/api.ts";
import { IconButton } from "../controls/icon-button.tsx";
import { PlaceFields } from "../controls/place-fields.tsx";
import { t } from "../language/language.ts";
import { kindWords, TEXT_KINDS, type TextKind } from "./mask-words.ts";

type Audience = MaskInfo["audiences"][number];

export interface MaskDialogProps {
  /** Where it begins, desktop pixels; null: text is to be hidden wherever it stands. */
  readonly rect: Rect | null;
  readonly onHide: (mask: MaskBody) => void;
  readonly onClose: () => void;
}

const AUDIENCES = [
  ["agent", t`Agents`, t`screenshots, text, events: all that they are given`],
  ["recording", t`Recordings`, t`and all that is exported of them`],
  ["viewer", t`People`, t`browsers and VNC viewers, yours too`],
  [
    "viewer:viewer",
    t`People who only look on`,
    t`role viewer; not recorded either, as they may watch recordings`,
  ],
  ["viewer:approver", t`Approvers`, t`what they are asked about too; not recorded either`],
  [
    "viewer:operator",
    t`Operators`,
    t`they may show it again, unless the configuration hides it; not recorded either`,
  ],
] as const;

/** What is to be hidden, and from whom. */
export function MaskDialog({ rect: drawn, onHide, onClose }: MaskDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const place = useSignal(drawn);
  const rect = place.value;
  const label = useSignal("");
  const chosen = useSignal<readonly Audience[]>(["agent", "recording"]);
  const kinds = useSignal<readonly TextKind[]>(rect === null ? TEXT_KINDS : []);
  const pattern = useSignal("");
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const isComplete =
    chosen.value.length > 0 && (rect !== null || kinds.value.length > 0 || pattern.value !== "");
  const mask = (): MaskBody => ({
    ...(rect === null
      ? {
          text: {
            kinds: [...kinds.value],
            ...(pattern.value === "" ? {} : { pattern: pattern.value }),
          },
        }
      : { rect }),
    audiences: [...chosen.value],
    ...(label.value.trim() === "" ? {} : { label: label.value.trim() }),
  });
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="mask-title" onClose={onClose}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          onHide(mask());
          dialog.current?.close();
        }}
      >
        <header class="dialog-head">
          <h2 id="mask-title">{rect === null ? t`Hide text` : t`Hide this place`}</h2>
          <IconButton icon="cross" label={t`Close`} onClick={() => dialog.current?.close()} />
        </header>
        {rect === null ? (
          <>
            <p class="muted">
              {t`Wherever it stands. What changes on the screen is covered until it was read, and what cannot be read is not found.`}
            </p>
            <fieldset class="mask-audiences">
              <legend>{t`What`}</legend>
              <Checks
                all={TEXT_KINDS.map((kind) => [kind, kindWords(kind), ""] as const)}
                chosen={kinds.value}
                onChange={(now) => {
                  kinds.value = now;
                }}
              />
            </fieldset>
            <label class="field">
              <span>{t`And what matches, a regular expression (may stay empty)`}</span>
              <input
                type="text"
                maxLength={500}
                spellcheck={false}
                value={pattern.value}
                onInput={(event) => {
                  pattern.value = event.currentTarget.value;
                }}
              />
            </label>
          </>
        ) : (
          <>
            <PlaceFields
              place={rect}
              onChange={(side) => {
                place.value = { ...rect, ...side };
              }}
            />
            <p class="muted">{t`It is one grey for them from now on, until somebody shows it again.`}</p>
          </>
        )}
        <fieldset class="mask-audiences">
          <legend>{t`From whom`}</legend>
          <Checks
            all={AUDIENCES}
            chosen={chosen.value}
            onChange={(now) => {
              chosen.value = now;
            }}
          />
        </fieldset>
        <label class="field">
          <span>{t`What it is, for people (may stay empty)`}</span>
          <input
            type="text"
            maxLength={80}
            value={label.value}
            onInput={(event) => {
              label.value = event.currentTarget.value;
            }}
          />
        </label>
        <footer class="dialog-foot">
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            {t`Cancel`}
          </button>
          <button type="submit" class="button button-primary" disabled={!isComplete}>
            {t`Hide it`}
          </button>
        </footer>
      </form>
    </dialog>
  );
}

interface ChecksProps<Value extends string> {
  /** Each with its name, and what is said beside it. */
  readonly all: readonly (readonly [Value, string, string])[];
  readonly chosen: readonly Value[];
  readonly onChange: (chosen: readonly Value[]) => void;
}

/** Boxes of which any number may be checked. */
function Checks<Value extends string>({ all, chosen, onChange }: ChecksProps<Value>) {
  return (
    <>
      {all.map(([value, name, what]) => (
        <label key={value} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={(event) => {
              const others = chosen.filter((one) => one !== value);
              onChange(event.currentTarget.checked ? [...others, value] : others);
            }}
          />
          <span>
            {name} <span class="muted">{what}</span>
          </span>
        </label>
      ))}
    </>
  );
}
