import { NO_LIMITS } from "../../../src/desktop/connections/target-rules.ts";
import { TargetTrust } from "../../../src/desktop/connections/trust-policy.ts";
import { RdpLink, type RdpLinkOptions } from "../../../src/desktop/links/rdp/rdp-link.ts";
import { TcpStream } from "../../../src/desktop/links/streams/tcp-stream.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { LinkEar } from "../../desktop/links/link-ear.ts";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";
import type { RdpTarget } from "./rdp-target.ts";

export const SIZE = { width: 1024, height: 768 } as const;

/** Where a link signs in. */
type Host = Pick<RdpTarget, "port" | "fingerprint" | "username" | "password">;

/** A link of ours to an RDP target, in this process, and what it has said. */
export class RdpSession {
  readonly link: RdpLink;
  readonly ear = new LinkEar();

  constructor(owner: Owner, target: Host, options: Partial<RdpLinkOptions> = {}) {
    const host = "127.0.0.1";
    const { port, fingerprint, username, password } = target;
    this.link = new RdpLink(
      {
        connect: () => new TcpStream({ protocol: "rdp", host, port }, { ...NO_LIMITS, own: [] }),
        host,
        trust: new TargetTrust({ host, port, fingerprint }, "ca", null),
        username,
        password,
        size: SIZE,
        hasSound: true,
        ...options,
      },
      systemClock,
    );
    owner.teardown(() => this.link.close());
    this.link.open(this.ear.events);
  }

  /** The picture as it is now. */
  get shot(): Shot {
    const { width, height, bytes } = this.link.framebuffer;
    return { width, height, rgba: bytes.slice() };
  }

  /** Waits until the picture is the target's, and says how they differ where it never is. */
  async differenceFrom(
    truth: () => Promise<Shot>,
    differ: (got: Shot, wanted: Shot) => string | null = differenceOf,
  ): Promise<string | null> {
    let difference: string | null = "not compared";
    await until("the same picture", async () => {
      await this.link.latest();
      difference = differ(this.shot, await truth());
      return difference === null;
    }).catch(() => undefined);
    return difference;
  }
}
