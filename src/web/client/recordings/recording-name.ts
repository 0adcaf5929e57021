import type { RecordingInfo } from "../../api/api.ts";

/** What people called a recording, else the name of its desktop. */
export function nameOf({ name, title }: Pick<RecordingInfo, "name" | "title">): string {
  return name ?? title;
}
