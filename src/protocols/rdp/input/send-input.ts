import type { ClientContext } from "../client-context.ts";
import { DATA } from "../numbers.ts";
import { sendShareData } from "../share.ts";
import { fastPathInput, type InputEvent, slowPathInput } from "./input.ts";

/** A PDU of the slow path holds at most so many. */
const MOST_SLOW_EVENTS = 255;

/** Sends events in order, by the fast path where the host has it; none while the session is being set up anew. */
export function sendInput(c: ClientContext, events: readonly InputEvent[]): void {
  if (!c.isActive || events.length === 0) return;
  if (c.features.hasFastPathInput) {
    c.send(fastPathInput(events));
    return;
  }
  for (let at = 0; at < events.length; at += MOST_SLOW_EVENTS) {
    sendShareData(c, DATA.input, slowPathInput(events.slice(at, at + MOST_SLOW_EVENTS)));
  }
}
