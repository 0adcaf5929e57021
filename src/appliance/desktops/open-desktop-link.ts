import { type DemoServer, openDemo } from "../../demo/demo-server.ts";
import type { Connection } from "../../desktop/connections/connection.ts";
import type { Link } from "../../desktop/link.ts";
import { VncLink } from "../../desktop/links/vnc/vnc-link.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Replays } from "../../recording/read/replays.ts";
import type { CloseStack } from "../close-stack.ts";
import { openTargetLink, PLATFORM } from "../open-links.ts";

interface LinkRooms {
  readonly clock: Clock;
  readonly replays: Pick<Replays, "link">;
  readonly closeStack: CloseStack;
  readonly own: Parameters<typeof openTargetLink>[1];
  readonly trustSettings: Parameters<typeof openTargetLink>[2];
  /** A fleet stands before what goes to targets; null: this server is alone. */
  readonly fleet: { fenced(connection: Connection, link: Link): Link } | null;
}

/** How each desktop gets to its target: another machine, a recording, or the demo, which is opened when somebody wants it. */
export function desktopLinks(rooms: LinkRooms): (connection: Connection) => Link {
  const { clock, replays, closeStack, own, trustSettings, fleet } = rooms;
  let demo: DemoServer | null = null;
  closeStack.add(() => demo?.close());
  const openDemoLink = (): Link => {
    demo ??= openDemo({ clock, ports: PLATFORM });
    const server = demo;
    return new VncLink(
      { connect: () => server.connect(), emitsConnect: false, password: null, makesNoKeys: true },
      PLATFORM,
      clock,
    );
  };
  return (connection) => {
    if (connection.protocol === "replay") return replays.link(connection);
    const link =
      connection.protocol === "demo" ? openDemoLink() : openTargetLink(connection, own, trustSettings);
    return fleet === null ? link : fleet.fenced(connection, link);
  };
}
