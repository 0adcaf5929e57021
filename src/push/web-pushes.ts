import { createHash } from "node:crypto";
import { RefusedError } from "../desktop/error.ts";
import type { Clock } from "../platform/clock.ts";
import type { GuardedPost } from "./guarded-post.ts";
import { type Notice, type PushLanguage, type PushMessage, wordsOf } from "./notice.ts";
import type { Pushes } from "./pushes.ts";
import { PushError, type PushReceiver } from "./receiver.ts";
import type { Subscription, Subscriptions } from "./subscriptions.ts";
import { areBrowserKeys, type BrowserKeys, encryptFor, vapidHeader } from "./web-push.ts";

/** Whoever was not here for so long is told no more: nobody knows whether they still may be. */
const KEPT_MS = 14 * 24 * 3_600_000;
const MOST_OF_A_PERSON = 10;
const LONGEST_ENDPOINT = 2048;
/** What a push service says of a subscription that ended (RFC 8030, section 7.3). */
const GONE = new Set([404, 410]);

/** Who subscribes. */
interface Subscriber {
  readonly id: string;
  readonly desktops?: readonly string[];
  /** What they read in this browser; absent: English. */
  readonly language?: PushLanguage;
}

interface WebPushPorts {
  readonly clock: Clock;
  readonly subscriptions: Subscriptions;
  readonly pushes: Pick<Pushes, "add" | "remove">;
  /** `guardedPost`, with where it may go. */
  post(request: GuardedPost): Promise<void>;
  /** Of the operator, for push services. */
  readonly subject: string;
  /** Hosts of push services; see `isServed`. */
  readonly services: readonly string[];
  /** Whether the person's credential still is one. */
  isActive(personId: string): boolean;
  /** `by`: as whom its person answers. */
  linkOf(notice: Notice, by: { readonly id: string; readonly name: string }): string | null;
  onFault(error: unknown): void;
}

/** Tells people in their browsers, whose push services see neither what nor of what. */
export class WebPushes {
  readonly #ports: WebPushPorts;
  readonly #receivers = new Map<string, PushReceiver>();

  constructor(ports: WebPushPorts) {
    this.#ports = ports;
    for (const subscription of ports.subscriptions.all) this.#add(subscription);
  }

  /** For browsers, which bind their subscription to it. */
  get publicKey(): string {
    return this.#ports.subscriptions.vapid.publicKey;
  }

  /** Throws RefusedError invalid_parameters for what is no subscription at a push service, too_many. */
  async subscribe(endpoint: string, keys: BrowserKeys, by: Subscriber): Promise<void> {
    const { subscriptions, services, clock } = this.#ports;
    if (endpoint.length > LONGEST_ENDPOINT || !isServed(endpoint, services)) {
      throw new RefusedError(
        "invalid_parameters",
        "got an address of no push service that push.web.services names: ask who runs this appliance to add your browser's",
      );
    }
    if (!areBrowserKeys(keys)) {
      throw new RefusedError(
        "invalid_parameters",
        "got keys that nothing can be encrypted for, expected p256dh and auth of a subscription of the browser",
      );
    }
    const before = subscriptions.all.find((one) => one.endpoint === endpoint);
    const own = subscriptions.all.filter(({ personId }) => personId === by.id);
    if (before?.personId !== by.id && own.length >= MOST_OF_A_PERSON) {
      throw new RefusedError(
        "too_many",
        `${MOST_OF_A_PERSON} browsers of yours are told, the most of one person: turn one off`,
      );
    }
    const subscription: Subscription = {
      ...{ endpoint, keys, personId: by.id, renewedAt: clock.date().toISOString() },
      ...(by.desktops === undefined ? {} : { desktops: by.desktops }),
      ...(by.language === undefined ? {} : { language: by.language }),
    };
    await subscriptions.set(subscription);
    this.#drop(endpoint);
    this.#add(subscription);
    const kept = new Set(subscriptions.all.map((one) => one.endpoint));
    for (const known of this.#receivers.keys()) if (!kept.has(known)) this.#drop(known);
  }

  /** Nobody ends another's. Throws RefusedError not_found. */
  async unsubscribe(endpoint: string, by: Subscriber): Promise<void> {
    const found = this.#ports.subscriptions.all.find((one) => one.endpoint === endpoint);
    if (found?.personId !== by.id)
      throw new RefusedError("not_found", "no such subscription of yours: it has ended or never existed");
    await this.#end(endpoint);
  }

  /** Resolves when all that is to be kept is. */
  close(): Promise<void> {
    return this.#ports.subscriptions.flush();
  }

  #add(subscription: Subscription): void {
    const { endpoint, desktops, personId, renewedAt } = subscription;
    const { clock, isActive, linkOf } = this.#ports;
    // Two browsers of a person are told apart in the audit log, by what says nothing of where they are reached.
    const name = `browser ${createHash("sha256").update(endpoint).digest("hex").slice(0, 8)} of ${personId}`;
    const receiver: PushReceiver = {
      name,
      wants: ({ desktop }) => {
        const isOld = clock.date().getTime() - Date.parse(renewedAt) > KEPT_MS;
        if (isOld || !isActive(personId)) {
          this.#end(endpoint).catch(this.#ports.onFault);
          return false;
        }
        // A question about no desktop is one about the house.
        return desktops === undefined || (desktop !== null && desktops.includes(desktop.id));
      },
      linkOf: (notice) => linkOf(notice, { id: personId, name: `the person of ${name}` }),
      send: (message) => this.#send(subscription, message),
    };
    this.#receivers.set(endpoint, receiver);
    this.#ports.pushes.add(receiver);
  }

  async #send({ endpoint, keys, language }: Subscription, { notice, link }: PushMessage): Promise<void> {
    const { subscriptions, subject, clock, post } = this.#ports;
    const nowMs = clock.date().getTime();
    const leftS = Math.max(0, Math.ceil((Date.parse(notice.expiresAt) - nowMs) / 1000));
    const text = JSON.stringify({ ...wordsOf(notice, language), tag: notice.id, url: link });
    try {
      await post({
        url: endpoint,
        body: encryptFor(keys, text),
        headers: {
          "content-type": "application/octet-stream",
          "content-encoding": "aes128gcm",
          // What a browser fetches later than that is about nothing any more.
          ttl: String(leftS),
          urgency: "high",
          authorization: vapidHeader(subscriptions.vapid, endpoint, subject, nowMs),
        },
      });
    } catch (error) {
      if (error instanceof PushError && error.status !== null && GONE.has(error.status)) {
        this.#end(endpoint).catch(this.#ports.onFault);
      }
      throw error;
    }
  }

  async #end(endpoint: string): Promise<void> {
    this.#drop(endpoint);
    await this.#ports.subscriptions.remove(endpoint);
  }

  #drop(endpoint: string): void {
    const receiver = this.#receivers.get(endpoint);
    if (receiver === undefined) return;
    this.#receivers.delete(endpoint);
    this.#ports.pushes.remove(receiver);
  }
}

/**
 * Whether an address is one of a push service: whoever may approve names it, and it must not become a way to make this
 * server ask anything of anybody. `services` are hosts, `*.` before one for all below it, with a port where it is not 443.
 */
export function isServed(endpoint: string, services: readonly string[]): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { protocol, host, username, password } = new URL(endpoint);
  if (protocol !== "https:" || username !== "" || password !== "") return false;
  return services.some((service) =>
    service.startsWith("*.") ? host.endsWith(service.slice(1)) : host === service,
  );
}
