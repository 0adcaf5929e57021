/** Both come as one file. */
export { PlayerPage } from "../player/player-page.tsx";
export { RecordingsPage } from "./recordings-page.tsx";
