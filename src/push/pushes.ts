import { plainWords } from "../compositor/look/shown-text.ts";
import type { Actor } from "../desktop/control/action.ts";
import type { Approval } from "../desktop/control/approvals/approvals.ts";
import type { DesktopEvent } from "../desktop/events/desktop-event.ts";
import { Courier, type CourierPorts } from "./courier.ts";
import type { Notice, PushSubject } from "./notice.ts";
import type { PushReceiver } from "./receiver.ts";

/** Of a name: a notification shows less. */
const MOST_CHARACTERS = 80;

interface PushedDesktop {
  readonly id: string;
  readonly name: string;
  on(listener: (event: DesktopEvent) => void): () => void;
}

/** What is needed of the registry; Desktops is one. */
export interface PushedDesktops {
  readonly all: readonly PushedDesktop[];
  readonly questions: { on(listener: (approval: Approval) => void): () => void };
  on(
    listener: (event: {
      readonly type: "added" | "changed" | "removed";
      readonly desktop: PushedDesktop;
    }) => void,
  ): () => void;
}

/** Tells receivers that agents ask for people, and no longer once that is settled. */
export class Pushes {
  readonly #ports: CourierPorts;
  readonly #couriers = new Map<PushReceiver, Courier>();
  readonly #followed = new Map<string, () => void>();
  #stop = (): void => {};

  constructor(ports: CourierPorts, receivers: readonly PushReceiver[] = []) {
    this.#ports = ports;
    for (const receiver of receivers) this.add(receiver);
  }

  /** Also told from now on. */
  add(receiver: PushReceiver): void {
    this.#couriers.set(receiver, new Courier(receiver, this.#ports));
  }

  /** What waits for it is lost. */
  remove(receiver: PushReceiver): void {
    this.#couriers.get(receiver)?.close();
    this.#couriers.delete(receiver);
  }

  /** Of all desktops, those of now and those added later. */
  follow(desktops: PushedDesktops): void {
    const nameOf = (id: string): string => desktops.all.find((one) => one.id === id)?.name ?? id;
    const follow = (desktop: PushedDesktop): void => {
      const stop = desktop.on((event) => {
        if (event.type === "request") this.#onRequest(event, desktop.name);
      });
      this.#followed.set(desktop.id, stop);
    };
    for (const desktop of desktops.all) follow(desktop);
    const stopQuestions = desktops.questions.on((approval) => this.#onApproval(approval, nameOf));
    const stop = desktops.on(({ type, desktop }) => {
      if (type === "changed") return;
      this.#followed.get(desktop.id)?.();
      this.#followed.delete(desktop.id);
      if (type === "added") follow(desktop);
    });
    this.#stop = () => {
      stop();
      stopQuestions();
      for (const unfollow of this.#followed.values()) unfollow();
    };
  }

  close(): void {
    this.#stop();
    for (const courier of this.#couriers.values()) courier.close();
  }

  #onApproval(approval: Approval, nameOf: (desktopId: string) => string): void {
    const { id, state, action, desktopId, actor } = approval;
    if (state !== "pending") this.#settle(id);
    else this.#tell("approval", action.kind, desktopId === "" ? null : nameOf(desktopId), approval, actor);
  }

  #onRequest({ change, request }: Extract<DesktopEvent, { type: "request" }>, desktopName: string): void {
    if (change === "asked") this.#tell("request", request.kind, desktopName, request, request.actor);
    // Who took it and gave it back is at it, or knows who else to ask.
    else if (change !== "extended") this.#settle(request.id);
  }

  #tell(
    subject: PushSubject,
    kind: string,
    desktopName: string | null,
    asked: Pick<Approval, "id" | "desktopId" | "askedAt" | "expiresAt">,
    { name }: Actor,
  ): void {
    const { id, desktopId, askedAt, expiresAt } = asked;
    const notice: Notice = {
      ...{ id, subject, kind, askedAt, expiresAt, agent: shortened(name) },
      desktop: desktopName === null ? null : { id: desktopId, name: shortened(desktopName) },
    };
    for (const courier of this.#couriers.values()) courier.add(notice);
  }

  #settle(id: string): void {
    for (const courier of this.#couriers.values()) courier.settle(id);
  }
}

/** A target or an agent's client chose it. */
function shortened(name: string): string {
  return plainWords(name).trim().slice(0, MOST_CHARACTERS);
}
