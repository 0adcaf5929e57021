/** What a viewer's page needs when its first picture is there, or later: it loads them as one. */
export { InviteDialog } from "../../admin/invite-dialog.tsx";
export { IdentityCard } from "../../connections/identity-card.tsx";
export { PasswordCard } from "../../connections/password-card.tsx";
export { FilesDialog } from "../../files/files-dialog.tsx";
export { MaskDialog } from "../../masks/mask-dialog.tsx";
export { ClipboardPanel } from "../clipboard-panel.tsx";
export { playSound } from "../device/sound-player.ts";
export { ExtraKeys } from "../input/extra-keys.tsx";
export { ReplayBar } from "../replay-bar.tsx";
export { FloatingApprovals, LiveMarks, ViewerSide } from "../viewer-side.tsx";
