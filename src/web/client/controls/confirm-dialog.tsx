import "../styles/confirm.css";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export interface ConfirmDialogProps {
  readonly title: string;
  /** What follows from it, above all what cannot be undone. */
  readonly children: ComponentChildren;
  /** The verb: "Revoke". */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something is done that cannot be undone; the safe answer has the focus. */
export function ConfirmDialog({ title, children, action, onConfirm, onClose }: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    cancel.current?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog confirm"
      role="alertdialog"
      aria-labelledby="confirm-title"
      onClose={onClose}
    >
      <h2 id="confirm-title">{title}</h2>
      {children}
      <footer class="confirm-foot">
        <button ref={cancel} type="button" class="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button
          type="button"
          class="button button-danger"
          onClick={() => {
            onConfirm();
            dialog.current?.close();
          }}
        >
          {action}
        </button>
      </footer>
    </dialog>
  );
}
