import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Connection } from "../connections/connection.ts";
import type { TargetReach } from "../connections/target-guard.ts";
import type { TargetTrust } from "../connections/trust-policy.ts";
import type { Link } from "../link.ts";
import type { BrowserHost } from "./browser/browser-host.ts";
import type { ReverseListen } from "./streams/reverse-stream.ts";

/** What a link needs beside its connection, in the same form on every thread. */
export interface LinkParts {
  /** Where it may lead: each stream asks anew when it connects. */
  readonly reach: TargetReach;
  /** Of the target, or of the web server in front of it. */
  readonly trust: TargetTrust;
  /** Of what a target shows inside a WebSocket's TLS, which has proved itself already. */
  readonly trustInside: TargetTrust;
  /** Where servers that connect by themselves may reach us. */
  readonly reverseListen: ReverseListen;
  /** RDP hosts have to check the password before a session begins. */
  readonly needsNla: boolean;
  /** Of an RDP session: called when the link signs in. */
  readonly claim?: (() => { wasTakenByUs(): boolean }) | undefined;
  /** What a browser of ours has of this machine. */
  readonly browsers: BrowserHost;
  /** What to draw in; default one of its own. */
  readonly framebuffer?: Framebuffer | undefined;
  /** Default the machine's. */
  readonly clock?: Clock;
}

/** Makes links to targets of one protocol; they decode on the thread that calls this. */
export type MakeLink = (connection: Connection, parts: LinkParts) => Link;
