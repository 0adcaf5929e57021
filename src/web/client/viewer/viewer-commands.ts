import type { DesktopInfo } from "../../api/api.ts";
import { t } from "../language/language.ts";
import { api } from "../shell/api-client.ts";
import { durationWords } from "../shell/labels.ts";
import { attempt, showNotice } from "../shell/notices.ts";
import { playerPath } from "../shell/route.ts";
import type { Viewer } from "./viewer.ts";
import type { Command } from "./viewer-bar.tsx";
import type { ViewerState } from "./viewer-state.ts";

export interface CommandsRequest {
  readonly desktop: DesktopInfo;
  readonly state: ViewerState;
  readonly viewer: Viewer | null;
  /** The window shows a part of the desktop, at a scale of its own. */
  readonly isCropped: boolean;
  readonly mayInput: boolean;
  readonly mayControl: boolean;
  /** Who looks; null before that is known. */
  readonly meId: string | null;
  /** null where guests cannot be invited. */
  readonly onInvite: (() => void) | null;
  /** null where no files go to and from the desktop, or not by this person. */
  readonly onFiles: (() => void) | null;
}

/** What the bar of a viewer can do, in the order of its icons. */
export function viewerCommands(request: CommandsRequest): readonly Command[] {
  const { desktop, state, viewer, isCropped, mayInput, mayControl, meId, onInvite, onFiles } = request;
  const isActual = state.zoom.value === 1;
  const isViewOnly = state.isViewOnly.value || !mayInput;
  const { holder } = desktop;
  const askedOf = holder?.kind === "human" && holder.id !== meId && mayInput ? holder.name : null;
  return [
    ...(mayControl ? [recordCommand(desktop)] : []),
    {
      id: "scaling",
      label: isActual ? t`Fit to the window` : t`Actual size (1:1)`,
      icon: "scaling",
      isDisabled: isCropped,
      run: () => {
        state.zoom.value = isActual ? "fit" : 1;
      },
    },
    ...(mayInput
      ? [
          {
            id: "view-only",
            label: t`View only`,
            icon: "eye",
            isPressed: isViewOnly,
            run: () => {
              state.isViewOnly.value = !state.isViewOnly.value;
            },
          } as const,
        ]
      : []),
    {
      id: "clipboard",
      label: t`Clipboard`,
      icon: "clipboard",
      run: () => document.getElementById("viewer-clipboard")?.togglePopover(),
    },
    ...(onFiles === null ? [] : [{ id: "files", label: t`Files`, icon: "folder", run: onFiles } as const]),
    ...(desktop.has_sound || state.isSoundOn.value
      ? [
          {
            id: "sound",
            label: t`Sound`,
            icon: "volume",
            isPressed: state.isSoundOn.value,
            run: () => {
              state.isSoundOn.value = !state.isSoundOn.value;
            },
          } as const,
        ]
      : []),
    ...(mayInput
      ? [
          {
            id: "extra-keys",
            label: t`Extra keys`,
            icon: "keyboard",
            isPressed: state.areExtraKeysShown.value,
            isDisabled: isViewOnly,
            run: () => {
              state.areExtraKeysShown.value = !state.areExtraKeysShown.value;
            },
          } as const,
        ]
      : []),
    ...(askedOf === null
      ? []
      : [
          {
            id: "ask-input",
            label: t`Ask ${askedOf} for the input`,
            icon: "hand",
            run: () => {
              const asked = api.askInput(desktop.id).then(() => showNotice(t`${askedOf} is asked`));
              attempt(t`Could not ask`, asked);
            },
          } as const,
        ]),
    ...(onInvite === null
      ? []
      : [{ id: "invite", label: t`Invite a guest`, icon: "userPlus", run: onInvite } as const]),
    {
      id: "reconnect",
      label: t`Reconnect`,
      icon: "refresh",
      run: () => {
        if (mayControl && desktop.state.kind !== "live") {
          attempt(t`Could not reconnect`, api.reconnect(desktop.id));
        }
        viewer?.reconnect();
      },
    },
    {
      id: "full-screen",
      label: t`Full screen`,
      icon: "maximize",
      shortcut: "F",
      run: () => state.toggleFullScreen(),
    },
  ];
}

function recordCommand({ id, recording_id }: DesktopInfo): Command {
  return {
    id: "record",
    label: recording_id === null ? t`Record` : t`Stop recording`,
    icon: "circle",
    isPressed: recording_id !== null,
    run: () => {
      if (recording_id === null) {
        attempt(t`Could not record`, api.startRecording(id));
        return;
      }
      const stopped = api.stopRecording(recording_id).then(({ duration_ms }) => {
        const link = { href: playerPath(recording_id), text: t`Play it` };
        showNotice(t`Recorded ${durationWords(duration_ms)}`, link);
      });
      attempt(t`Could not stop the recording`, stopped);
    },
  };
}
