import type { Cursor } from "../../framebuffer/cursor.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import type { FilesEvent } from "../../protocols/rdp/files/file-messages.ts";
import type { LinkEvents, LockKeys } from "../link.ts";

/** Events of a target that its link passes on unchanged: nothing of its own work depends on them. */
export type ForwardedEvent =
  /** How much of the first picture was decoded, more than 0 and at most 1. */
  | { readonly type: "progress"; readonly part: number }
  | { readonly type: "cursor"; readonly cursor: Cursor | null }
  | { readonly type: "drawnPointer"; readonly area: Rect | null }
  | { readonly type: "clipboard"; readonly text: string | null }
  | { readonly type: "clipboardOffered" }
  | { readonly type: "clipboardTaken" }
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "bell" }
  | { readonly type: "soundOffered" }
  | { readonly type: "sound"; readonly samples: Uint8Array | null }
  | { readonly type: "files"; readonly event: FilesEvent }
  | { readonly type: "locks"; readonly locks: LockKeys };

export function forwardEvent(event: ForwardedEvent, events: LinkEvents): void {
  switch (event.type) {
    case "progress":
      events.progress?.(event.part);
      break;
    case "cursor":
      events.cursor(event.cursor);
      break;
    case "drawnPointer":
      events.drawnPointer?.(event.area);
      break;
    case "clipboard":
      events.clipboard(event.text);
      break;
    case "clipboardOffered":
      events.clipboardOffered?.();
      break;
    case "clipboardTaken":
      events.clipboardTaken?.();
      break;
    case "name":
      events.name(event.name);
      break;
    case "bell":
      events.bell();
      break;
    case "soundOffered":
      events.soundOffered?.();
      break;
    case "sound":
      events.sound?.(event.samples);
      break;
    case "files":
      events.files?.(event.event);
      break;
    case "locks":
      events.locks?.(event.locks);
      break;
  }
}
