import { partGroups } from "../../../recording/join/part-groups.ts";
import type { RecordingInfo } from "../../api/api.ts";

/**
 * One entry for each recording whose parts several nodes list, by the id of its last part: that one tells of all before it for ever,
 * and may be running. What is missing between them is told when it is opened.
 */
export function wholeInfos(infos: readonly RecordingInfo[]): RecordingInfo[] {
  return partGroups(infos).map((parts) => (parts.length === 1 ? parts[0] : wholeInfo(parts)));
}

const WORST = ["tampered", "unsealed", "sealed"] as const;
const LEAST_ARCHIVED = ["failed", "uploading", "local", "archived", "archive_only"] as const;

function wholeInfo(parts: readonly [RecordingInfo, ...RecordingInfo[]]): RecordingInfo {
  const [first] = parts;
  const last = parts.at(-1) ?? first;
  const startedMs = Date.parse(first.started_at);
  const endsMs = parts.map((part) => Date.parse(part.started_at) + part.duration_ms - startedMs);
  const stateOf = WORST.find((state) => parts.some((part) => part.state === state));
  const archive = LEAST_ARCHIVED.map((state) => parts.find((part) => part.archive?.state === state)).find(
    (part) => part !== undefined,
  )?.archive;
  const sumOf = (of: (part: RecordingInfo) => number): number =>
    parts.reduce((sum, part) => sum + of(part), 0);
  return {
    ...first,
    id: last.id,
    name: parts.find(({ name }) => name !== null)?.name ?? null,
    notes: parts.find(({ notes }) => notes !== null)?.notes ?? null,
    duration_ms: Math.max(...endsMs),
    bytes: sumOf(({ bytes }) => bytes),
    ...{ width: last.width, height: last.height, continued_by: last.continued_by },
    state: last.state === "recording" ? "recording" : (stateOf ?? last.state),
    is_encrypted: parts.some(({ is_encrypted }) => is_encrypted),
    archive: archive ?? null,
    counts: {
      frames: sumOf(({ counts }) => counts.frames),
      actions: sumOf(({ counts }) => counts.actions),
      approvals: sumOf(({ counts }) => counts.approvals),
      overlays: sumOf(({ counts }) => counts.overlays),
      human_inputs: sumOf(({ counts }) => counts.human_inputs),
      bookmarks: sumOf(({ counts }) => counts.bookmarks),
      gaps: sumOf(({ counts }) => counts.gaps) + parts.length - 1,
    },
  };
}
