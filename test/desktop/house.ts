import { PLATFORM } from "../../src/appliance/open-links.ts";
import { makeConnection } from "../../src/desktop/connections/connection.ts";
import type { Actor } from "../../src/desktop/control/action.ts";
import type { Mode } from "../../src/desktop/control/policy.ts";
import { Desktop, type DesktopEvent } from "../../src/desktop/desktop.ts";
import type { DesktopOptions, DesktopPorts } from "../../src/desktop/desktop-options.ts";
import { FakeClock } from "../fake-clock.ts";
import { FakeLink } from "./fake-link.ts";

export const AGENT: Actor = { kind: "agent", id: "a", name: "agent" };
export const HUMAN: Actor = { kind: "human", id: "h", name: "Ann", authority: "rules" };
export const CLICK = { kind: "click", x: 10, y: 20, button: "left", clicks: 1, holdKeysyms: [] } as const;

export function typing(text: string) {
  return { kind: "type", text, wordsPerMinute: null, clearExisting: false } as const;
}

/** One live desktop of a fake target, and the clock it lives by. */
export class House {
  readonly clock = new FakeClock();
  readonly links: FakeLink[] = [];
  readonly events: DesktopEvent[] = [];
  readonly bugs: unknown[] = [];
  readonly desktop: Desktop;

  constructor(
    mode: Mode = "autopilot",
    options: Partial<DesktopOptions> = {},
    ports: Partial<DesktopPorts> = {},
  ) {
    const connection = makeConnection({ id: "d1", protocol: "vnc", host: "host.example" }, this.clock.date());
    this.desktop = new Desktop(
      connection,
      { mode, approvalExpiryMs: 45_000, ...options },
      {
        ...PLATFORM,
        clock: this.clock,
        random: () => 0.5,
        onBug: (error) => this.bugs.push(error),
        openLink: () => {
          const link = new FakeLink();
          this.links.push(link);
          return link;
        },
        ...ports,
      },
    );
    this.desktop.on((event) => this.events.push(event));
    this.desktop.open();
  }

  static live(
    mode: Mode = "autopilot",
    options: Partial<DesktopOptions> = {},
    ports: Partial<DesktopPorts> = {},
  ): House {
    const house = new House(mode, options, ports);
    house.link.goLive();
    return house;
  }

  get link(): FakeLink {
    const link = this.links.at(-1);
    if (link === undefined) throw new Error("no link was opened");
    return link;
  }

  /** Runs an action while the fake time passes. */
  async act<Result>(work: Promise<Result>, durationMs = 1000): Promise<Result> {
    work.catch(() => undefined);
    await this.clock.live(durationMs);
    return work;
  }
}
