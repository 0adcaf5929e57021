import type { RecordingInfo } from "../../api/api.ts";

/** What people called a recording, else the name of its desktop. */
export function nameOf({ name, title }: Pick<RecordingInfo, "name" | "title">): string {
  return name ?? title;
}

/** Of a file of it without its ending, as the server names the files that it makes. */
export function fileName({ title, started_at }: Pick<RecordingInfo, "title" | "started_at">): string {
  const day = started_at.slice(0, 16).replace("T", " ").replace(":", "-");
  const plain = title.replace(/[^\p{L}\p{N} ._-]/gu, "").trim();
  return `${plain === "" ? "recording" : plain} ${day}`;
}
