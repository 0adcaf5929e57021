import { createHmac } from "node:crypto";
import type { TargetReach } from "../desktop/connections/target-guard.ts";
import type { Clock } from "../platform/clock.ts";
import { guardedPost } from "./guarded-post.ts";
import { jsonOf, type PushMessage, wordsOf } from "./notice.ts";
import { PushError } from "./receiver.ts";

export interface WebhookOptions {
  readonly url: string;
  /** ntfy: the last part of the path is a topic, and the body as ntfy's servers publish it. */
  readonly format: "json" | "ntfy";
  /** What the body is signed with; absent: nothing. */
  readonly key?: string;
  /** Sent as a Bearer token. */
  readonly token?: string;
}

/**
 * Sends a message as the body of a POST. With a key it is signed: the header `x-overlay-signature` is `t=SECONDS,v1=HEX`,
 * HMAC-SHA256 of `SECONDS.BODY`, so that a receiver knows who sent it and that it is no old one sent again.
 */
export class Webhook {
  readonly #options: WebhookOptions;
  readonly #reach: TargetReach;
  readonly #clock: Clock;

  constructor(options: WebhookOptions, reach: TargetReach, clock: Clock) {
    this.#options = options;
    this.#reach = reach;
    this.#clock = clock;
  }

  /** Throws PushError. */
  async send(message: PushMessage): Promise<void> {
    const { url, format, key, token } = this.#options;
    const { to, body } = format === "ntfy" ? ntfyOf(url, message) : { to: url, body: jsonOf(message) };
    const seconds = Math.floor(this.#clock.date().getTime() / 1000);
    await guardedPost(
      {
        ...{ url: to, body },
        headers: {
          "content-type": "application/json",
          "user-agent": "overlay-companion",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(key === undefined ? {} : { "x-overlay-signature": signature(key, seconds, body) }),
        },
      },
      this.#reach,
    );
  }
}

function signature(key: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${createHmac("sha256", key).update(`${seconds}.${body}`).digest("hex")}`;
}

/** https://docs.ntfy.sh/publish/#publish-as-json: to the server's root, with the topic within. */
function ntfyOf(url: string, { notice, link }: PushMessage) {
  const { origin, pathname } = new URL(url);
  const parts = pathname.split("/").filter((part) => part !== "");
  const topic = parts.pop();
  if (topic === undefined) throw new PushError("has no topic in its path", { isFinal: true });
  const body = JSON.stringify({
    ...{ topic: decodeURIComponent(topic), ...wordsOf(notice) },
    ...{ priority: 4, tags: [notice.subject === "approval" ? "question" : "raising_hand"] },
    ...(link === null ? {} : { click: link }),
  });
  return { to: `${origin}/${parts.map((part) => `${part}/`).join("")}`, body };
}
