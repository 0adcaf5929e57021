import type { Action, Actor } from "../../desktop/control/action.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { DesktopEvent } from "../../desktop/events/desktop-event.ts";
import type { FarPicture } from "../../desktop/far/far-picture.ts";
import type { Audience } from "../../desktop/view.ts";
import type { ViewedDesktop } from "../viewer/viewed-desktop.ts";
import type { FarSeat } from "./far-seat.ts";

interface Seated {
  readonly seat: FarSeat;
  /** Called where the owner ends it: those who share it. */
  readonly sharing: Set<() => void>;
}

/** Opens a seat that tells what was copied there, and that it ended. */
type OpenSeat = (events: { copied(text: string): void; ended(): void }) => FarSeat;

/**
 * A desktop of another server as viewers of one kind have it here: one picture for all of them, a seat there for each person.
 */
export class FarDesktop implements ViewedDesktop {
  readonly id: string;
  readonly #picture: FarPicture;
  readonly #seats = new Map<string, Seated>();
  readonly #listeners = new Set<(event: DesktopEvent) => void>();
  #viewers = 0;
  #copied: string | null = null;
  /** Where a viewer of ours put the pointer last; another server's people are not known. */
  pointer = { x: 0, y: 0 };
  /** Overlays are in the picture already. */
  readonly scene = { version: 0 };
  readonly locks = () => this.#picture.locks;

  constructor(id: string, picture: FarPicture) {
    this.id = id;
    this.#picture = picture;
    picture.on((event) => this.#tell(event));
  }

  get name(): string {
    return this.#picture.name;
  }

  get size() {
    return this.#picture.size;
  }

  get screens() {
    return this.#picture.screens;
  }

  get cursor() {
    return this.#picture.cursor;
  }

  get generation(): number {
    return this.#picture.generation;
  }

  get viewers(): number {
    return this.#viewers;
  }

  attachViewer(): () => void {
    this.#viewers++;
    return () => {
      this.#viewers--;
    };
  }

  on(listener: (event: DesktopEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  view(audience: Audience) {
    return this.#picture.view(audience);
  }

  whenReady(): Promise<void> {
    return this.#picture.whenWhole();
  }

  /** By the seat of who does it. Throws RefusedError permission_denied for who has none. */
  async perform(action: Action, { id }: Pick<Actor, "id">): Promise<void> {
    const seated = this.#seats.get(id);
    if (seated === undefined) throw new RefusedError("permission_denied", "who left does nothing here");
    if (action.kind === "pointer") this.pointer = { x: action.x, y: action.y };
    seated.seat.perform(action);
  }

  /**
   * Takes the seat of a person, one for all of their viewers here; `ended` is called where the owner ends it. Resolves with what gives it
   * back when the owner let them in; rejects with the error of the session.
   */
  async take(personId: string, open: OpenSeat, ended: () => void): Promise<() => void> {
    const seated = this.#seats.get(personId) ?? this.#sit(personId, open);
    const one = (): void => ended();
    seated.sharing.add(one);
    const leave = (): void => {
      if (!seated.sharing.delete(one) || seated.sharing.size > 0) return;
      this.#stand(personId, seated);
      seated.seat.close();
    };
    try {
      await seated.seat.whenReady();
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }

  #sit(personId: string, open: OpenSeat): Seated {
    const sharing = new Set<() => void>();
    const seat = open({
      copied: (text) => this.#tellCopied(text),
      ended: () => {
        this.#stand(personId, seated);
        for (const ended of [...sharing]) ended();
      },
    });
    const seated = { seat, sharing };
    this.#seats.set(personId, seated);
    return seated;
  }

  #stand(personId: string, seated: Seated): void {
    if (this.#seats.get(personId) === seated) this.#seats.delete(personId);
  }

  /** Each seat is told of it. */
  #tellCopied(text: string): void {
    if (text === this.#copied) return;
    this.#copied = text;
    this.#tell({ type: "clipboard", text, isHidden: false });
  }

  #tell(event: DesktopEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}
