import type { LinkEvents } from "../link.ts";

/** Passes on what a link says as long as `isHeard`. */
export function heardWhile(isHeard: () => boolean, events: LinkEvents): LinkEvents {
  const pass =
    <Args extends readonly unknown[]>(call: (...args: Args) => void) =>
    (...args: Args): void => {
      if (isHeard()) call(...args);
    };
  return {
    ready: pass((info) => events.ready(info)),
    update: pass((update) => events.update(update)),
    progress: pass((part) => events.progress?.(part)),
    resize: pass((screens) => events.resize(screens)),
    cursor: pass((cursor) => events.cursor(cursor)),
    clipboard: pass((text) => events.clipboard(text)),
    clipboardTaken: pass(() => events.clipboardTaken?.()),
    name: pass((name) => events.name(name)),
    bell: pass(() => events.bell()),
    locks: pass((locks) => events.locks?.(locks)),
    stalled: pass((isStalled) => events.stalled(isStalled)),
    closed: pass((error) => events.closed(error)),
    step: pass((name, detail) => events.step(name, detail)),
  };
}
