import type { Desk } from "./desk.ts";
import { DESKTOP_TASKS } from "./tasks-desktop.ts";
import { PAGE_TASKS } from "./tasks-page.ts";

/** Something that agents do on desktops, with what must have come of it outside. */
export interface Task {
  readonly name: string;
  /** Why the check does without it for now; `npm run test:agents` does it anyway. */
  readonly notInCheck?: string;
  /** Throws where it was not done. */
  run(desk: Desk): Promise<void>;
}

/** In an order in which none needs another: each makes the page anew. */
export const TASKS: readonly Task[] = [...PAGE_TASKS, ...DESKTOP_TASKS];
