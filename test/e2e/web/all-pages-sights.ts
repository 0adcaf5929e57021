import type { Page } from "playwright-core";
import { until } from "../../support/until.ts";
import { viewerShot } from "../viewers/viewer-scenario.ts";

/** A page in one of its states. */
export interface Sight {
  readonly name: string;
  /** null: the page before, which stays as it is. */
  readonly path: string | null;
  /** Brings the page to the state that is looked at. */
  readonly ready: (page: Page) => Promise<unknown>;
  /** In a phone's width there are other controls, or in another order. */
  readonly isOtherwise?: true;
}

/** What there is to look at: ids, and how a question is asked. */
export interface House {
  readonly desktop: string;
  /** Nobody answers at its address. */
  readonly gone: string;
  readonly recording: string;
  /** The recording, shown as a desktop. */
  readonly replay: string;
  /** Asks, unless a question waits. */
  readonly ask: () => Promise<void>;
}

type Ready = Sight["ready"];

const heading =
  (name: string): Ready =>
  (page) =>
    page.getByRole("heading", { name, level: 1 }).waitFor();

const press =
  (name: string | RegExp): Ready =>
  (page) =>
    page.getByRole("button", { name }).locator("visible=true").first().click();

const seen =
  (selector: string): Ready =>
  (page) =>
    page.locator(selector).first().waitFor();

const picture: Ready = (page) => until("a picture", () => viewerShot(page));

const inTurn =
  (...steps: readonly Ready[]): Ready =>
  async (page) => {
    for (const step of steps) await step(page);
  };

const dialog = seen("dialog[open]");

/** Of the viewer's bar: where there is no room for it, it is an entry of a menu. */
const command =
  (name: string): Ready =>
  async (page) => {
    const isThere = await page.getByRole("button", { name, exact: true }).locator("visible=true").count();
    if (isThere === 0) await press("More")(page);
    await page.getByRole("button", { name, exact: true }).locator("visible=true").first().click();
  };

const tab =
  (name: string): Ready =>
  async (page) => {
    const found = page.getByRole("tab", { name });
    if (!(await found.isVisible())) await press(/^Panel/)(page);
    await found.click();
  };

/** The form of a new desktop, with all that it keeps below the fold. */
const addDesktop = (protocol: string): Ready =>
  inTurn(press("Add desktop"), dialog, async (page) => {
    await page.getByLabel("Protocol").selectOption(protocol);
    for (const more of await page.locator("dialog summary").all()) await more.click();
  });

/** Where there is nothing yet. */
export const EMPTY_SIGHTS: readonly Sight[] = [
  { name: "no desktops", path: "/", ready: seen(".empty"), isOtherwise: true },
  { name: "no recordings", path: "/recordings", ready: seen(".empty") },
  { name: "no approvals", path: "/approvals", ready: heading("Approvals") },
  { name: "nothing set up", path: "/setup", ready: seen(".snippet-head") },
];

/** Every page, and every state of it that a person brings about. */
export function sightsOf({ desktop, gone, recording, replay, ask }: House): readonly Sight[] {
  const viewer = `/desktops/${desktop}`;
  const player = `/recordings/${recording}`;
  return [
    { name: "desktops", path: "/", ready: inTurn(ask, seen("nav .badge")), isOtherwise: true },
    {
      name: "keys",
      path: null,
      ready: inTurn((page) => page.keyboard.press("?"), dialog),
    },
    { name: "add a desktop", path: "/", ready: inTurn(press("Add desktop"), dialog) },
    ...["vnc", "kasmvnc", "rdp", "browser"].map((protocol) => ({
      name: `add by ${protocol}`,
      path: "/",
      ready: addDesktop(protocol),
    })),
    { name: "edit a desktop", path: "/", ready: inTurn(press(/^Edit .*Gone/), dialog) },
    { name: "remove a desktop", path: "/", ready: inTurn(press(/^Remove .*Gone/), dialog) },
    { name: "viewer", path: viewer, ready: picture },
    {
      name: "viewer with extra keys",
      path: viewer,
      ready: async (page) => {
        await picture(page);
        // On a touch screen they come by themselves, in a while after the picture: who pressed meanwhile would send them away.
        const isTouched = await page.evaluate<boolean>(`matchMedia("(pointer: coarse)").matches`);
        if (!isTouched) await command("Extra keys")(page);
        await seen(".extra-keys")(page);
      },
      isOtherwise: true,
    },
    {
      name: "clipboard",
      path: viewer,
      ready: inTurn(picture, command("Clipboard"), seen("#viewer-clipboard:popover-open textarea")),
      isOtherwise: true,
    },
    {
      name: "modes",
      path: viewer,
      ready: inTurn(
        picture,
        (page) => page.getByLabel("Mode: what agents may do").selectOption("autopilot"),
        dialog,
      ),
    },
    { name: "invite", path: viewer, ready: inTurn(picture, command("Invite a guest"), dialog) },
    {
      name: "live list",
      path: viewer,
      ready: inTurn(picture, tab("Agent"), (page) =>
        page.getByRole("list", { name: "Actions, newest first" }).waitFor(),
      ),
    },
    { name: "questions of a desktop", path: null, ready: tab("Approvals") },
    { name: "overlays", path: null, ready: inTurn(tab("Overlays"), seen(".panel-body .rows")) },
    { name: "masks", path: null, ready: inTurn(tab("Masks"), seen(".panel-body .rows")), isOtherwise: true },
    { name: "facts", path: null, ready: inTurn(tab("Info"), seen(".facts")) },
    {
      name: "hide text",
      path: viewer,
      ready: inTurn(picture, tab("Masks"), press("Hide text"), dialog),
    },
    { name: "rules", path: `${viewer}/rules`, ready: seen("main h1") },
    { name: "an area", path: null, ready: inTurn(press("Add an area"), seen(".rules-area")) },
    { name: "desktop that is gone", path: `/desktops/${gone}`, ready: seen(".stage-card") },
    { name: "no such desktop", path: "/desktops/none", ready: heading("No such desktop") },
    {
      name: "replay",
      path: `/desktops/${replay}`,
      ready: inTurn(picture, seen(".replay-bar")),
      isOtherwise: true,
    },
    { name: "approvals", path: "/approvals", ready: inTurn(ask, seen(".approval")), isOtherwise: true },
    { name: "edit a question", path: null, ready: inTurn(press("Edit"), seen(".approval-edit")) },
    { name: "recordings", path: "/recordings", ready: seen(".recording") },
    { name: "delete a recording", path: null, ready: inTurn(press(/^Delete the recording/), dialog) },
    {
      name: "no such recordings",
      path: "/recordings",
      ready: inTurn((page) => page.getByRole("searchbox").fill("nowhere"), seen(".empty")),
    },
    { name: "player", path: player, ready: seen("canvas"), isOtherwise: true },
    { name: "notes", path: null, ready: inTurn(press("Name and notes"), dialog) },
    { name: "export", path: player, ready: inTurn(seen("canvas"), press("Export"), seen(".export-menu")) },
    {
      name: "no such recording",
      path: "/recordings/20200101T000000Z-00000000",
      ready: seen(".player-failure"),
    },
    { name: "setup", path: "/setup", ready: seen(".snippet-head") },
    { name: "access", path: "/access", ready: seen(".thing") },
    { name: "new token", path: null, ready: inTurn(press("New token"), dialog) },
    { name: "secrets", path: "/secrets", ready: seen("main h1") },
    {
      name: "new secret",
      path: null,
      ready: inTurn(press("Add secret"), dialog, (page) => page.locator("dialog summary").click()),
    },
    { name: "audit", path: "/audit", ready: seen(".audit-event") },
    {
      name: "audit event",
      path: null,
      ready: (page) => page.locator(".audit-event summary").first().click(),
    },
    { name: "sign in", path: "/signin?error=wrong", ready: seen(".sign-in h1") },
    { name: "link of a question", path: "/answer", ready: seen("main h1") },
    { name: "nothing there", path: "/no-such-page", ready: seen("main h1") },
  ];
}
