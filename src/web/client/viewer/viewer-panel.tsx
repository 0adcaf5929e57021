import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { t } from "../language/language.ts";

const PANEL_TABS = ["agent", "approvals", "overlays", "masks", "info"] as const;
export type PanelTab = (typeof PANEL_TABS)[number];

const NAMES = {
  agent: t`Agent`,
  approvals: t`Approvals`,
  overlays: t`Overlays`,
  masks: t`Masks`,
  info: t`Info`,
} as const satisfies Record<PanelTab, string>;

export interface ViewerPanelProps {
  readonly tab: PanelTab;
  /** Shown beside a tab's name; 0 shows nothing. */
  readonly counts: Readonly<Partial<Record<PanelTab, number>>>;
  readonly onTab: (tab: PanelTab) => void;
  /** What stands above every tab. */
  readonly dock: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The panel at the right: tabs as the ARIA practices want them (arrows move, one tab stop). */
export function ViewerPanel({ tab, counts, onTab, dock, children }: ViewerPanelProps) {
  const list = useRef<HTMLDivElement>(null);
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = PANEL_TABS.at((PANEL_TABS.indexOf(tab) + step) % PANEL_TABS.length) ?? "agent";
    onTab(next);
    list.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  return (
    <aside class="viewer-panel" aria-label={t`Panel`}>
      <div ref={list} role="tablist" aria-label={t`Panel`} class="tabs" onKeyDown={onKey}>
        {PANEL_TABS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={name === tab}
            aria-controls="panel-body"
            tabIndex={name === tab ? 0 : -1}
            onClick={() => onTab(name)}
          >
            {NAMES[name]}
            {(counts[name] ?? 0) > 0 && <span class="badge">{counts[name]}</span>}
          </button>
        ))}
      </div>
      {dock}
      <div
        id="panel-body"
        class="panel-body"
        role="tabpanel"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reached by keyboard
        tabIndex={0}
        aria-labelledby={`tab-${tab}`}
      >
        {children}
      </div>
    </aside>
  );
}
