/** A form's fields by name; a browser's FormData is one. */
export interface FilledForm {
  get(name: string): unknown;
}

/** What is written in a field; "" where it is empty or missing. */
export function field(form: FilledForm, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}
