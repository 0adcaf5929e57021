import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeCalls } from "../../../src/cluster/calls/node-calls.ts";
import { FleetMoves } from "../../../src/cluster/fleet/fleet-moves.ts";
import type { Placed } from "../../../src/cluster/nodes/known.ts";
import type { NodeRecord } from "../../../src/cluster/nodes/records.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import type { FleetFace } from "../../../src/web/http/ports.ts";
import { makeCertificates, makeNodeCertificate } from "../../support/certificates.ts";
import type { Owner } from "../../support/program.ts";

/** A node whose calls are real, over mutual TLS on loopback. */
export interface CallingNode {
  readonly fleet: FleetFace;
  readonly calls: NodeCalls;
  /** Who was refused here, and why. */
  readonly refused: string[];
  /** From now on `app` answers the others. */
  listen(app: Server): Promise<NodeRecord>;
}

function placedAt(desktop: string, owner: string): Placed {
  const assignment = { desktop, zone: "z", cores: 0, memoryMib: 0, owner, by: "x" };
  return { key: desktop, assignment, revision: 1n };
}

/** Nodes that call each other, and the table by which they know each other and who has which desktop. */
export class CallingNodes {
  readonly #owner: Owner;
  readonly #dir: string;
  readonly #records = new Map<string, NodeRecord>();
  readonly #owners = new Map<string, string>();
  readonly #listeners = new Set<() => void>();

  private constructor(owner: Owner, dir: string) {
    this.#owner = owner;
    this.#dir = dir;
  }

  static async open(owner: Owner): Promise<CallingNodes> {
    const dir = mkdtempSync(join(tmpdir(), "oc-calls-"));
    owner.teardown(() => rmSync(dir, { recursive: true, force: true }));
    await makeCertificates(dir);
    return new CallingNodes(owner, dir);
  }

  /** `certificate`: for whom; default for itself. `port`: default a free one. */
  async node(name: string, certificate = name, port = 0): Promise<CallingNode> {
    const made = await makeNodeCertificate(this.#dir, certificate);
    const refused: string[] = [];
    const [records, owners, listeners] = [this.#records, this.#owners, this.#listeners];
    const table = {
      name,
      get nodes() {
        return [...records.values()];
      },
      whenChanged(look: () => void) {
        listeners.add(look);
        return () => listeners.delete(look);
      },
    };
    const calls = new NodeCalls(table, {
      tls: {
        ca: readFileSync(join(this.#dir, "ca.crt"), "utf8"),
        cert: readFileSync(made.cert, "utf8"),
        key: readFileSync(made.key, "utf8"),
      },
      ...{ host: "127.0.0.1", port, clock: systemClock },
      onRefused: (reason) => refused.push(reason),
    });
    this.#owner.teardown(() => calls.close());
    const fleet: FleetFace = {
      ...{ name, calls, whenChanged: table.whenChanged, drain: async () => undefined },
      get nodes() {
        return table.nodes;
      },
      get placed() {
        return new Map([...owners].map(([id, node]) => [id, placedAt(id, `${node}-1`)]));
      },
      moves: new FleetMoves(),
      ownerOf: (id) => records.get(owners.get(id) ?? "") ?? null,
      view() {
        const desktops = [...owners].map(([id, node]) => ({ id, name: id, zone: "z", node }));
        const nodes = table.nodes.map((record) => ({ ...record, desktops: 0, isDrained: false }));
        return { self: name, leaseMs: 3000, nodes, desktops, next: null, nameOf: (id) => id };
      },
    };
    return {
      fleet,
      calls,
      refused,
      listen: async (app) => this.#join(name, await calls.listen(app, "127.0.0.1")),
    };
  }

  /** A node of that name is reached at HOST:PORT from now on. */
  #join(name: string, calls: string): NodeRecord {
    const record: NodeRecord = {
      ...{ id: `${name}-1`, nth: 1, name, address: `http://${name}.test`, calls, leaseMs: 3500 },
      offer: { cores: 1, memoryMib: 1, links: 1, zones: ["z"], isDraining: false },
    };
    this.#records.set(name, record);
    this.#tell();
    return record;
  }

  give(desktopId: string, name: string): void {
    this.#owners.set(desktopId, name);
    this.#tell();
  }

  /** The table has a node no more. */
  lose(name: string): void {
    this.#records.delete(name);
    this.#tell();
  }

  #tell(): void {
    for (const look of [...this.#listeners]) look();
  }
}
