import type { Owner } from "../../test/support/program.ts";
import { firefoxScenes } from "./firefox.ts";
import { laterPageScenes, pageScenes } from "./pages.ts";
import { laterProgramScenes, programScenes } from "./programs.ts";
import { loadScenes, type Scene } from "./scene.ts";
import { laterTerminalScenes, rdpTerminalScenes, terminalScenes, unseenTerminalScenes } from "./terminals.ts";
import { laterWaylandScenes, waylandScenes } from "./wayland.ts";

/** Scenes of a folder, each NAME.png and NAME.json, instead of ours. */
const FOLDER = process.env["OC_TEXT_SCENES"];

const MANY = 100;

/** Those that reading was improved on, or those of a folder. */
export async function ownScenes(owner: Owner, folder: string, isShort: boolean): Promise<Scene[]> {
  if (FOLDER !== undefined) return loadScenes(FOLDER);
  const most = isShort ? 1 : MANY;
  return [...(await terminalScenes(owner, folder, most)), ...(await pageScenes(owner, most))];
}

/** Programs, fonts and looks that came later: GTK, Qt, Firefox, Wayland, coloured terminals. */
export async function otherScenes(owner: Owner, folder: string, isShort: boolean): Promise<Scene[]> {
  const most = isShort ? 1 : MANY;
  const onX = [
    ...(await programScenes(owner, folder, most)),
    ...(await unseenTerminalScenes(owner, folder, most)),
  ];
  if (isShort) return onX;
  return [
    ...onX,
    ...(await firefoxScenes(owner, folder, most)),
    ...(await waylandScenes(owner, folder, most)),
  ];
}

/** Programs, fonts and colours of which nothing was seen when reading was last improved: urxvt, Tk, Weston's terminal, xrdp. */
export async function laterScenes(owner: Owner, folder: string, isShort: boolean): Promise<Scene[]> {
  const most = isShort ? 1 : MANY;
  const onX = await laterTerminalScenes(owner, folder, most);
  if (isShort) return onX;
  return [
    ...onX,
    ...(await laterProgramScenes(owner, folder, most)),
    ...(await laterPageScenes(owner, most)),
    ...(await laterWaylandScenes(owner, folder, most)),
    ...(await rdpTerminalScenes(owner, folder)),
  ];
}
