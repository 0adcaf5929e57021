import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Point, Rect, Size } from "../../../framebuffer/rect.ts";
import { counted, t } from "../language/language.ts";
import { agentSeen } from "../shell/session.ts";

/** The pointer goes when its agent has done nothing for so long. */
const POINTER_MS = 10_000;
/** Where it clicked or looked, and that it typed, is seen for so long. */
const MARK_MS = 1500;

interface Pointer extends Point {
  readonly name: string;
  readonly keys: number;
}

interface Mark extends Rect {
  readonly id: number;
  readonly name: string;
}

/** What agents do on the live picture: their pointer by name, where they clicked, what they look at, that they type. */
export function AgentMarks({ desktopId, size }: { readonly desktopId: string; readonly size: Size }) {
  const pointer = useSignal<Pointer | null>(null);
  const marks = useSignal<readonly Mark[]>([]);
  useEffect(() => {
    let lastId = 0;
    let going: number | undefined;
    const timers = new Set<number>();
    const later = (task: () => void): void => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        task();
      }, MARK_MS);
      timers.add(timer);
    };
    const mark = (name: string, place: Rect): void => {
      const id = ++lastId;
      marks.value = [...marks.value, { ...place, id, name }];
      later(() => {
        marks.value = marks.value.filter((known) => known.id !== id);
      });
    };
    // What was done before this page was opened is no news.
    let known = agentSeen.peek();
    const unsubscribe = agentSeen.subscribe((seen) => {
      if (seen === null || seen === known || seen.desktop_id !== desktopId) return;
      known = seen;
      const { name, point, clicks, keys, area } = seen;
      if (area !== null) mark(name, area);
      for (const { x, y } of clicks) mark(name, { x, y, width: 0, height: 0 });
      const before = pointer.peek();
      const at = point ?? before;
      if (at === null || area !== null) return;
      const { x, y } = at;
      clearTimeout(going);
      going = setTimeout(() => {
        pointer.value = null;
      }, POINTER_MS);
      if (keys > 0 || point !== null || before === null || before.keys === 0)
        pointer.value = { name, x, y, keys };
      else {
        // It stopped typing: how much it was can still be read.
        later(() => {
          if (pointer.peek() === before) pointer.value = { ...before, keys: 0 };
        });
      }
    });
    return () => {
      unsubscribe();
      clearTimeout(going);
      for (const timer of timers) clearTimeout(timer);
    };
  }, [desktopId, pointer, marks]);
  const { width, height } = size;
  if (width === 0) return null;
  const placed = ({ x, y }: Point) => ({ left: `${(x / width) * 100}%`, top: `${(y / height) * 100}%` });
  const shown = pointer.value;
  return (
    <>
      {marks.value.map((one) =>
        one.width === 0 ? (
          <span key={one.id} class="agent-click" style={placed({ x: one.x + 0.5, y: one.y + 0.5 })} />
        ) : (
          <span
            key={one.id}
            class="agent-look"
            style={{
              ...placed(one),
              width: `${(one.width / width) * 100}%`,
              height: `${(one.height / height) * 100}%`,
            }}
          >
            <span class="agent-name">{t`${one.name} looks here`}</span>
          </span>
        ),
      )}
      {shown !== null && (
        <span class={`agent-pointer ${shown.x > width * 0.75 ? "is-left" : ""}`} style={placed(shown)}>
          <span class="agent-name">
            {shown.name}
            {shown.keys > 0 && counted(shown.keys, t` types, # key| types, # keys`)}
          </span>
        </span>
      )}
    </>
  );
}
