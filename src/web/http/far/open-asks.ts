import type { WebDesktops } from "../ports.ts";

/** Whether a question, a grant or a request of that id is open on these desktops, or about none yet. */
export function isOpenAt({ all, questions }: Pick<WebDesktops, "all" | "questions">, id: string): boolean {
  return (
    questions.pending.some((one) => one.id === id) ||
    all.some(({ grants, requests }) =>
      [...grants.all, ...(requests?.open ?? [])].some((one) => one.id === id),
    )
  );
}
