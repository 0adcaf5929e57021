import { type Rect, rectOfSize } from "../../framebuffer/rect.ts";
import { Clipboard } from "./channels/cliprdr.ts";
import { DisplayControl } from "./channels/display-control.ts";
import { type DynamicChannel, DynamicChannels } from "./channels/drdynvc.ts";
import { GRAPHICS_CHANNEL, GraphicsPipeline } from "./channels/egfx.ts";
import { Sound } from "./channels/sound.ts";
import type { ClientContext } from "./client-context.ts";
import { type StaticChannelName, staticChannels } from "./connect/gcc.ts";
import { StaticChannel, sendOnChannel } from "./connect/static-channels.ts";
import { ClipboardFiles } from "./files/clipboard-files.ts";
import type { FilesCommand } from "./files/file-messages.ts";

/** The virtual channels of one connection. What the host opens beyond these is refused: drives, printers, cameras. */
export class ChannelSet {
  readonly #c: ClientContext;
  readonly #clipboard: Clipboard;
  readonly #display = new DisplayControl();
  readonly #sound: Sound;
  /** The same over a dynamic channel, which newer hosts prefer. */
  readonly #dynamicSound: Sound;
  readonly #dynamic: DynamicChannels;
  #graphics: GraphicsPipeline | null = null;
  #channels: readonly StaticChannel[] = [];

  constructor(c: ClientContext) {
    this.#c = c;
    this.#clipboard = new Clipboard(
      (text) => c.emit({ type: "clipboard", text }),
      () => c.emit({ type: "clipboardTaken" }),
      () => c.emit({ type: "clipboardOffered" }),
      c.options.hasFiles === true ? new ClipboardFiles((event) => c.emit({ type: "files", event })) : null,
    );
    const sound = (): Sound =>
      new Sound(
        () => c.emit({ type: "soundOffered" }),
        (samples) => c.emit({ type: "sound", samples }),
      );
    this.#sound = sound();
    this.#dynamicSound = sound();
    const known: DynamicChannel[] = [this.#display];
    if (c.options.hasSound === true) known.push(this.#dynamicSound);
    if (c.options.hasGraphicsPipeline === true) known.push(this.#graphicsChannel());
    this.#dynamic = new DynamicChannels(known);
  }

  /** The host has sent pixels that are not exact. */
  get isLossy(): boolean {
    return this.#graphics?.isLossy ?? false;
  }

  /** A part of a message of a static channel. Data of a channel that was not joined is none of ours. */
  receive(channelId: number, chunk: Uint8Array): void {
    if (this.#channels.length === 0) {
      const names = staticChannels(this.#c);
      this.#channels = this.#c.channelIds.map(
        (id, i) => new StaticChannel(id, (message) => this.#onMessage(names[i], message)),
      );
    }
    this.#channels.find(({ id }) => id === channelId)?.push(chunk);
  }

  offerClipboard(text: string): void {
    this.#send("cliprdr", this.#clipboard.offer(text));
  }

  /** Offers files, asks for bytes of some, or gives them. */
  files(command: FilesCommand): void {
    this.#send("cliprdr", this.#clipboard.command(command));
  }

  /** Somebody wants to hear what the host plays, or nobody does. */
  listen(isOn: boolean): void {
    this.#send("rdpsnd", this.#sound.listen(isOn));
    for (const message of this.#dynamicSound.listen(isOn)) {
      this.#send("drdynvc", this.#dynamic.send(this.#dynamicSound.name, message));
    }
  }

  /** Asks for these screens, the first the primary one; false where the host takes no such request now. */
  arrange(screens: readonly Rect[]): boolean {
    const layout = this.#display.arrange(screens);
    if (layout === null) return false;
    this.#send("drdynvc", this.#dynamic.send(this.#display.name, layout));
    return true;
  }

  #onMessage(name: StaticChannelName | undefined, message: Uint8Array): void {
    if (name === "cliprdr") this.#send(name, this.#clipboard.receive(message));
    else if (name === "drdynvc") this.#send(name, this.#dynamic.receive(message));
    else if (name === "rdpsnd") this.#send(name, this.#sound.receive(message));
  }

  #send(name: StaticChannelName, messages: readonly Uint8Array[]): void {
    const id = this.#c.channelIds[staticChannels(this.#c).indexOf(name)];
    if (id === undefined) return;
    for (const message of messages) sendOnChannel(this.#c, id, message);
  }

  /** A pipeline lives as long as its channel is open: surfaces of one that was closed are gone. */
  #graphicsChannel(): DynamicChannel {
    const mostBytes = (): number => this.#graphics?.mostMessageBytes ?? 0;
    return {
      name: GRAPHICS_CHANNEL,
      get mostBytes() {
        return mostBytes();
      },
      opened: () => {
        this.#graphics = new GraphicsPipeline(this.#c.framebuffer);
        return [this.#graphics.start()];
      },
      receive: (message) => this.#draw(message),
      closed: () => {
        this.#graphics = null;
      },
    };
  }

  #draw(message: Uint8Array): readonly Uint8Array[] {
    const c = this.#c;
    const update = this.#graphics?.receive(message);
    if (update === undefined) return [];
    if (update.resized !== null) {
      c.admitResize();
      c.damage.take(); // of the old size
      c.screens = [{ id: 0, rect: rectOfSize(update.resized), flags: 0 }];
      if (c.hasBeenActive) c.emit({ type: "resize", screens: c.screens });
    }
    for (const r of update.damage.rects) c.damage.paint(r);
    return update.replies;
  }
}
