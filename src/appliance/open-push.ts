import type { AuditEntry } from "../audit/audit-event.ts";
import type { Config } from "../config/config-schema.ts";
import type { OwnListener, TargetReach } from "../desktop/connections/target-guard.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import { runCommand } from "../push/command.ts";
import type { Notice, PushLink } from "../push/notice.ts";
import { Pushes } from "../push/pushes.ts";
import { isWanted, type PushReceiver, type PushWish } from "../push/receiver.ts";
import { Webhook } from "../push/webhook.ts";
import { limitsOf } from "./open-links.ts";

interface PushRooms {
  readonly log: Logger;
  readonly clock: Clock;
  readonly own: OwnListener[];
  record(entry: AuditEntry): void;
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

function configuredReceivers({ push, targets }: Config, { clock, own }: PushRooms): readonly PushReceiver[] {
  const reach = pushReach({ targets }, own);
  return [
    ...push.webhooks.map((webhook): PushReceiver => {
      const hook = new Webhook(webhook, reach, clock);
      return {
        ...receiverOf(`webhook ${webhook.name}`, webhook, push),
        send: (message) => hook.send(message),
      };
    }),
    ...push.commands.map(
      (command): PushReceiver => ({
        ...receiverOf(`command ${command.name}`, command, push),
        send: (message) => runCommand(command.argv, message),
      }),
    ),
  ];
}

function receiverOf(name: string, wish: PushWish, { base_url }: Config["push"]): Omit<PushReceiver, "send"> {
  return {
    name,
    wants: (notice) => isWanted(wish, notice),
    linkOf: (notice) => (base_url === undefined ? null : linkOf(notice, wish.link, base_url)),
  };
}

function linkOf({ id, subject, desktop }: Notice, link: PushLink, baseUrl: string): string | null {
  if (link === "none") return null;
  if (subject === "approval") return `${baseUrl}/approvals?card=${id}`;
  return `${baseUrl}/desktops/${encodeURIComponent(desktop?.id ?? "")}`;
}

/** Where pushes may be sent: not where no desktop may be. `targets.only` names desktops, and a push goes to none. */
export function pushReach({ targets }: Pick<Config, "targets">, own: OwnListener[]): TargetReach {
  return { ...limitsOf({ targets }), only: [], own };
}
