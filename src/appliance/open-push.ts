import { join } from "node:path";
import type { AuditEntry } from "../audit/audit-event.ts";
import type { AnswerLink, AnswerLinks } from "../auth/answer-links.ts";
import type { Config } from "../config/config-schema.ts";
import type { OwnListener, TargetReach } from "../desktop/connections/target-guard.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import { runCommand } from "../push/command.ts";
import { guardedPost } from "../push/guarded-post.ts";
import type { Notice, PushLink } from "../push/notice.ts";
import { Pushes } from "../push/pushes.ts";
import { isWanted, type PushReceiver, type PushWish } from "../push/receiver.ts";
import { type PushSealer, Subscriptions } from "../push/subscriptions.ts";
import { WebPushes } from "../push/web-pushes.ts";
import { Webhook } from "../push/webhook.ts";
import { limitsOf } from "./open-links.ts";

interface PushRooms {
  readonly log: Logger;
  readonly clock: Clock;
  readonly own: OwnListener[];
  readonly answers: AnswerLinks;
  record(entry: AuditEntry): void;
}

interface WebPushRooms extends PushRooms {
  readonly pushes: Pushes;
  readonly sealer: PushSealer;
  /** Whether a person's credential still is one. */
  isActive(personId: string): boolean;
}

/** What tells people in their browsers; null where that is not configured. */
export async function openWebPushes(config: Config, rooms: WebPushRooms): Promise<WebPushes | null> {
  const { subject, services, link } = config.push.web;
  if (subject === undefined) return null;
  const { log, clock, own, pushes, sealer, isActive, answers } = rooms;
  return new WebPushes({
    ...{ clock, pushes, subject, services, isActive },
    post: (request) => guardedPost(request, pushReach(config, own)),
    subscriptions: await Subscriptions.open(join(config.data_dir, "push.json"), sealer),
    // The browser knows where it is subscribed.
    linkOf: (notice, by) => pathOfLink(link, notice, by, answers),
    onFault: (err) => log.error({ err }, "Push subscriptions could not be kept"),
  });
}

/** What tells people by push; who is told is configured. */
export function openPush(config: Config, rooms: PushRooms): Pushes {
  const { log, clock, record } = rooms;
  const entry = ({ id, subject, kind }: Notice, receiver: string) => ({
    ...{ actor: null, action: `${kind} to ${receiver}`, resource: { kind: subject, id } },
  });
  return new Pushes(
    {
      clock,
      sent: (notice, receiver) => record({ type: "push.sent", ...entry(notice, receiver) }),
      lost: (notice, receiver, errorCode) =>
        record({ type: "push.lost", severity: "warning", ...entry(notice, receiver), errorCode }),
      changed: (receiver, isWorking, err) => {
        if (isWorking) log.info({ receiver }, "Push receiver works again");
        else log.error({ receiver, err }, "Push receiver failed");
      },
    },
    configuredReceivers(config, rooms),
  );
}

function configuredReceivers(
  { push, targets }: Config,
  { clock, own, answers }: PushRooms,
): readonly PushReceiver[] {
  const reach = pushReach({ targets }, own);
  const receiverOf = (name: string, wish: PushWish): Omit<PushReceiver, "send"> => ({
    name,
    wants: (notice) => isWanted(wish, notice),
    linkOf: (notice) => {
      const by = { id: `link:${name}`, name: `whoever opened the link of ${name}` };
      const path = push.base_url === undefined ? null : pathOfLink(wish.link, notice, by, answers);
      return path === null ? null : `${push.base_url}${path}`;
    },
  });
  return [
    ...push.webhooks.map((webhook): PushReceiver => {
      const hook = new Webhook(webhook, reach, clock);
      return {
        ...receiverOf(`webhook ${webhook.name}`, webhook),
        send: (message) => hook.send(message),
      };
    }),
    ...push.commands.map(
      (command): PushReceiver => ({
        ...receiverOf(`command ${command.name}`, command),
        send: (message) => runCommand(command.argv, message),
      }),
    ),
  ];
}

/** Where a link leads, without who is reached there. */
function pathOfLink(
  link: PushLink,
  notice: Notice,
  by: AnswerLink["by"],
  answers: AnswerLinks,
): string | null {
  if (link === "none") return null;
  if (link === "page" || notice.subject !== "approval") return pathOf(notice);
  // What is behind the # is sent to nobody before a person presses the button there: links are looked at by many.
  return `/answer#t=${answers.issue({ questionId: notice.id, by })}`;
}

/** The card in the web app. */
function pathOf({ id, subject, desktop }: Notice): string {
  return subject === "approval"
    ? `/approvals?card=${id}`
    : `/desktops/${encodeURIComponent(desktop?.id ?? "")}`;
}

/** Where pushes may be sent: not where no desktop may be. `targets.only` names desktops, and a push goes to none. */
export function pushReach({ targets }: Pick<Config, "targets">, own: OwnListener[]): TargetReach {
  return { ...limitsOf({ targets }), only: [], own };
}
