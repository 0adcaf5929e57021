import { t } from "../language/language.ts";
import "../styles/confirm.css";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export interface ConfirmDialogProps {
  readonly title: string;
  /** What follows from it, above all what cannot be undone. */
  readonly children: ComponentChildren;
  /** The verb: "Revoke". */
  readonly action: string;
  /** What can be set back as easily: it is not drawn as a danger. */
  readonly isHarmless?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something is done that cannot be undone, or that changes what others may do; the safe answer has the focus. */
export function ConfirmDialog({
  title,
  children,
  action,
  isHarmless = false,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    cancel.current?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog confirm ${isHarmless ? "" : "is-danger"}`}
      role="alertdialog"
      aria-labelledby="confirm-title"
      onClose={onClose}
    >
      <h2 id="confirm-title">{title}</h2>
      {children}
      <div class="confirm-foot">
        <button ref={cancel} type="button" class="button" onClick={() => dialog.current?.close()}>
          {t`Cancel`}
        </button>
        <button
          type="button"
          class={`button ${isHarmless ? "button-primary" : "button-danger"}`}
          onClick={() => {
            onConfirm();
            dialog.current?.close();
          }}
        >
          {action}
        </button>
      </div>
    </dialog>
  );
}
