import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { DesktopInfo } from "../../api/api.ts";
import { ConfirmDialog } from "../controls/confirm-dialog.tsx";
import { Icon } from "../controls/icon.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import type { IconShape } from "../controls/icon-shapes.ts";
import { StateMark } from "../controls/state-mark.tsx";
import { t } from "../language/language.ts";
import { holderWords, MODE_WORDS, MODES, modeNamed } from "../shell/labels.ts";
import { playerPath, rulesPath } from "../shell/route.ts";
import { navigate } from "../shell/router.ts";
import { may } from "../shell/session.ts";
import { ZOOMS, type Zoom } from "./stage-plan.ts";

/** One thing the bar can do: an icon where there is room, an entry of the menu where there is not. */
export interface Command {
  readonly id: string;
  readonly label: string;
  readonly icon: IconShape;
  readonly shortcut?: string;
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
  readonly run: () => void;
}

export interface ViewerBarProps {
  readonly desktop: DesktopInfo;
  readonly commands: readonly Command[];
  readonly mayControl: boolean;
  /** Who looks; null before that is known. */
  readonly meId: string | null;
  readonly isStopRed: boolean;
  readonly isPanelOpen: boolean;
  readonly waiting: number;
  readonly onMode: (mode: DesktopInfo["mode"]) => void;
  readonly onStop: () => void;
  readonly onResume: () => void;
  readonly onGiveBack: () => void;
  /** From another person. */
  readonly onTakeOver: () => void;
  readonly onPanel: () => void;
  /** null in a window that shows a part, at a scale of its own. */
  readonly zoom: Zoom | null;
  readonly onZoom: (zoom: Zoom) => void;
  /** The clipboard popover. */
  readonly children: ComponentChildren;
}

/** The slim bar: what this is, whether it is live, who acts, and the stop that is always in the same place. */
export function ViewerBar(props: ViewerBarProps) {
  const { desktop } = props;
  const holding = holderWords(desktop.holder, props.meId);
  const askedMode = useSignal<DesktopInfo["mode"] | null>(null);
  const isHuman = desktop.holder?.kind === "human";
  const isMine = desktop.holder?.id === props.meId;
  return (
    <header class="viewer-bar" tabIndex={-1}>
      <a class="icon-button" href="/" aria-label={t`All desktops`} title={t`All desktops`}>
        <Icon shape="arrowLeft" />
      </a>
      <h1 class="viewer-name" title={desktop.name}>
        {desktop.name}
      </h1>
      <StateMark desktop={desktop} />
      {may("modes") ? (
        <ModeSelect
          desktop={desktop}
          onAsk={(mode) => {
            askedMode.value = mode;
          }}
        />
      ) : (
        <span class="muted" title={MODE_WORDS[desktop.mode].meaning}>
          {MODE_WORDS[desktop.mode].name}
        </span>
      )}
      {desktop.recording_id !== null && <RecordingSign id={desktop.recording_id} isLink={props.mayControl} />}
      {holding && (
        <span class={`viewer-holder ${isHuman ? "is-human" : ""}`} role="status">
          {holding}
        </span>
      )}
      {isHuman && (isMine ? props.mayControl : may("input")) && (
        <button
          type="button"
          class="button give-back"
          title={
            isMine
              ? t`Let the agents use mouse and keyboard again`
              : t`Mouse and keyboard become yours, and ${desktop.holder?.name ?? ""} is told`
          }
          onClick={isMine ? props.onGiveBack : props.onTakeOver}
        >
          {isMine ? t`Give back` : t`Take over`}
        </button>
      )}
      {desktop.agents.length > 0 && (
        <span class="viewer-agents" title={t`Acted within the last minute: ${desktop.agents.join(", ")}`}>
          {t`Agent: ${desktop.agents.join(", ")}`}
        </span>
      )}
      <span class="bar-space" />
      {props.zoom !== null && <ZoomSelect zoom={props.zoom} onZoom={props.onZoom} />}
      <div class="bar-commands">
        {props.commands.map((command) => (
          <IconButton
            key={command.id}
            icon={command.icon}
            label={command.label}
            onClick={command.run}
            {...(command.shortcut === undefined ? {} : { shortcut: command.shortcut })}
            {...(command.isPressed === undefined ? {} : { isPressed: command.isPressed })}
            isDisabled={command.isDisabled ?? false}
          />
        ))}
      </div>
      {props.children}
      {askedMode.value !== null && (
        <ModeDialog
          desktop={desktop}
          mode={askedMode.value}
          onConfirm={props.onMode}
          onClose={() => {
            askedMode.value = null;
          }}
        />
      )}
      <MoreMenu commands={props.commands} />
      <button
        type="button"
        class="icon-button panel-toggle"
        aria-pressed={props.isPanelOpen}
        aria-label={props.waiting > 0 ? t`Panel, ${props.waiting} waiting` : t`Panel`}
        title={t`Panel (P)`}
        onClick={props.onPanel}
      >
        <Icon shape="panelRight" />
        {props.waiting > 0 && (
          <span class="badge" aria-hidden="true">
            {props.waiting}
          </span>
        )}
      </button>
      {desktop.is_stopped && props.mayControl && (
        <button type="button" class="button resume" onClick={props.onResume}>
          <Icon shape="play" />
          <span>{t`Resume`}</span>
        </button>
      )}
      {(props.mayControl || desktop.is_stopped) && (
        <button
          type="button"
          class={`button stop-button ${props.isStopRed ? "is-red" : ""}`}
          title={t`Stop the agents (Ctrl+Alt+Shift+S)`}
          disabled={desktop.is_stopped}
          onClick={props.onStop}
        >
          <Icon shape="square" />
          <span>{desktop.is_stopped ? t`Stopped` : t`Stop`}</span>
        </button>
      )}
    </header>
  );
}

/** Opens the question whether a mode shall hold; nothing is changed by it alone. */
function ModeSelect({
  desktop,
  onAsk,
}: {
  readonly desktop: DesktopInfo;
  readonly onAsk: (mode: DesktopInfo["mode"]) => void;
}) {
  return (
    <select
      class="mode-select"
      aria-label={t`Mode: what agents may do`}
      title={MODE_WORDS[desktop.mode].meaning}
      value={desktop.mode}
      onChange={(event) => {
        const { value } = event.currentTarget;
        const mode = modeNamed(value);
        // Arrow keys choose in a closed list, one mode after the other: nothing holds before it is confirmed.
        event.currentTarget.value = desktop.mode;
        if (mode) onAsk(mode);
        else if (value === "custom") navigate(rulesPath(desktop.id));
      }}
    >
      {MODES.map((mode) => (
        <option key={mode} value={mode} disabled={mode === "autopilot" && !may("admin")}>
          {MODE_WORDS[mode].name}
        </option>
      ))}
      <option value="custom">{desktop.mode === "custom" ? MODE_WORDS.custom.name : t`Custom…`}</option>
    </select>
  );
}

interface ZoomSelectProps {
  readonly zoom: Zoom;
  readonly onZoom: (zoom: Zoom) => void;
}

/** All of the desktop, or how large it is; fingers zoom to what lies between. */
function ZoomSelect({ zoom, onZoom }: ZoomSelectProps) {
  const offered: readonly number[] = ZOOMS;
  const between = zoom === "fit" || offered.includes(zoom) ? [] : [zoom];
  return (
    <select
      class="zoom-select"
      aria-label={t`Zoom`}
      value={String(zoom)}
      onChange={(event) => {
        const { value } = event.currentTarget;
        onZoom(value === "fit" ? "fit" : Number(value));
      }}
    >
      <option value="fit">{t`Fit`}</option>
      {[...between, ...offered].map((factor) => (
        <option key={factor} value={String(factor)}>
          {Math.round(factor * 100)} %
        </option>
      ))}
    </select>
  );
}

interface ModeDialogProps {
  readonly desktop: DesktopInfo;
  readonly mode: DesktopInfo["mode"];
  readonly onConfirm: (mode: DesktopInfo["mode"]) => void;
  readonly onClose: () => void;
}

/** Asks whether agents may do what a mode allows, in its sentence. */
function ModeDialog({ desktop, mode, onConfirm, onClose }: ModeDialogProps) {
  const { name, meaning } = MODE_WORDS[mode];
  return (
    <ConfirmDialog
      title={t`Set ${desktop.name} to ${name}?`}
      action={t`Set to ${name}`}
      isHarmless={mode !== "autopilot"}
      onConfirm={() => onConfirm(mode)}
      onClose={onClose}
    >
      <p>{meaning}</p>
      <p class="muted">{t`Now: ${MODE_WORDS[desktop.mode].name}. ${MODE_WORDS[desktop.mode].meaning}`}</p>
    </ConfirmDialog>
  );
}

/** Everybody sees that a desktop is recorded; who may look into recordings gets there by it. */
function RecordingSign({ id, isLink }: { readonly id: string; readonly isLink: boolean }) {
  const sign = (
    <>
      <span class="dot is-recording" aria-hidden="true" />
      <span class="recording-sign-word">{t`Rec`}</span>
    </>
  );
  return isLink ? (
    <a class="recording-sign tone-bad" href={playerPath(id)} title={t`Recording: open it, and rewind`}>
      {sign}
    </a>
  ) : (
    <span class="recording-sign tone-bad" role="status" title={t`This desktop is being recorded`}>
      {sign}
    </span>
  );
}

/** All commands by name, where the bar is too narrow for their icons. */
function MoreMenu({ commands }: { readonly commands: readonly Command[] }) {
  return (
    <div class="more">
      <button
        type="button"
        class="icon-button"
        popovertarget="viewer-more"
        aria-label={t`More`}
        title={t`More`}
      >
        <Icon shape="ellipsis" />
      </button>
      <div id="viewer-more" class="popover" popover="auto">
        {commands.map((command) => (
          <button
            key={command.id}
            type="button"
            class="menu-item"
            disabled={command.isDisabled ?? false}
            {...(command.isPressed === undefined ? {} : { "aria-pressed": command.isPressed })}
            onClick={(event) => {
              event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
              command.run();
            }}
          >
            <Icon shape={command.icon} />
            <span>{command.label}</span>
          </button>
        ))}
      </div>
    </div>
  );
}
