/** Whether a key belongs to what has the focus: a text field, a list to choose from, or a desktop. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest("input, textarea, select, canvas") !== null;
}

/** Puts the focus on the question in front; false where none is shown. */
export function focusApproval(): boolean {
  const card = document.querySelector<HTMLElement>(".dock .approval");
  card?.focus();
  return card !== null;
}

/** The key that leads to the question in front, from everywhere but a desktop, which has its own way to hear it. */
export function isApprovalKey(event: KeyboardEvent): boolean {
  return event.ctrlKey && event.altKey && event.shiftKey && event.code === "KeyA";
}
