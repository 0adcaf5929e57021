import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ApprovalInfo, DecisionBody } from "../../api/api.ts";
import { t } from "../language/language.ts";

type Edit = NonNullable<Extract<DecisionBody, { decision: "approve" }>["edit"]>;

export interface ApprovalEditProps {
  readonly approval: ApprovalInfo;
  readonly isOpen: boolean;
  readonly onApprove: (edit: Edit) => void;
}

const MAX_COORDINATE = 65_535;

/** Says yes to something a little different: another text, another place. Opens in view, with the focus in it. */
export function ApprovalEdit({ approval, isOpen, onApprove }: ApprovalEditProps) {
  const form = useRef<HTMLFormElement>(null);
  const text = useSignal(approval.text ?? "");
  const x = useSignal(approval.point?.x ?? 0);
  const y = useSignal(approval.point?.y ?? 0);
  const isText = approval.editable === "text";
  const isChanged = isText
    ? text.value !== (approval.text ?? "")
    : x.value !== approval.point?.x || y.value !== approval.point.y;
  useLayoutEffect(() => {
    form.current?.scrollIntoView({ block: "nearest" });
    form.current?.querySelector<HTMLElement>("textarea, input")?.focus({ preventScroll: true });
  }, []);
  return (
    <form
      ref={form}
      class="approval-edit"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        if (isOpen && isChanged) onApprove(isText ? { text: text.value } : { x: x.value, y: y.value });
      }}
    >
      {isText ? (
        <label>
          {t`Text`}
          <textarea
            rows={3}
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
          />
        </label>
      ) : (
        [["x", x] as const, ["y", y] as const].map(([name, value]) => (
          <label key={name}>
            {name}
            <input
              type="number"
              required
              min={0}
              max={MAX_COORDINATE}
              step={1}
              value={value.value}
              onInput={(event) => {
                value.value = event.currentTarget.valueAsNumber;
              }}
            />
          </label>
        ))
      )}
      <button type="submit" class="button button-primary" disabled={!isOpen || !isChanged}>
        {t`Approve the change`}
      </button>
    </form>
  );
}
