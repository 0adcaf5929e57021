import { GrantedDesktops, reaches } from "../../auth/granted-desktops.ts";
import type { Approval } from "../../desktop/control/approvals/approvals.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { WebDesktop, WebDesktops } from "./ports.ts";

/** The registry as the routes of one caller see it. */
export class DesktopsOfCaller extends GrantedDesktops<WebDesktop, WebDesktops> implements WebDesktops {
  /** Those about none yet are for who reaches all. */
  get questions(): WebDesktops["questions"] {
    const { questions } = this.source;
    const isTold = ({ desktopId }: Pick<Approval, "desktopId">): boolean =>
      reaches(this.principal, desktopId);
    const isOpen = (id: string): boolean => questions.pending.some((one) => one.id === id && isTold(one));
    return {
      get pending() {
        return questions.pending.filter(isTold);
      },
      on: (listener) => questions.on((approval) => isTold(approval) && listener(approval)),
      picture: (id, audience) => (isOpen(id) ? questions.picture(id, audience) : null),
      shown: (id, to, part) => isOpen(id) && questions.shown(id, to, part),
      // No question has an empty id: it is refused as one that is not open.
      decide: (id, decision, by) => questions.decide(isOpen(id) ? id : "", decision, by),
    };
  }

  on(listener: Parameters<WebDesktops["on"]>[0]): () => void {
    return this.source.on((event) => {
      if (reaches(this.principal, event.desktop.id)) listener(event);
    });
  }

  isStored(id: string): boolean {
    return reaches(this.principal, id) && this.source.isStored(id);
  }

  async add(...args: Parameters<WebDesktops["add"]>): ReturnType<WebDesktops["add"]> {
    this.#checkWhole();
    return this.source.add(...args);
  }

  async edit(...args: Parameters<WebDesktops["edit"]>): ReturnType<WebDesktops["edit"]> {
    this.#checkWhole();
    return this.source.edit(...args);
  }

  async remove(...args: Parameters<WebDesktops["remove"]>): Promise<void> {
    this.#checkWhole();
    return this.source.remove(...args);
  }

  async test(...args: Parameters<WebDesktops["test"]>): ReturnType<WebDesktops["test"]> {
    this.#checkWhole();
    return this.source.test(...args);
  }

  /** A desktop led elsewhere would be another desktop. */
  #checkWhole(): void {
    if (this.principal.desktops === undefined) return;
    throw new RefusedError(
      "permission_denied",
      "this credential is for certain desktops, expected one for all: it changes no connections",
    );
  }
}
