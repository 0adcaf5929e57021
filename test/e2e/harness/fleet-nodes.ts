import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { desktopSchema } from "../../../src/web/api/api.ts";
import { type FleetInfo, fleetSchema } from "../../../src/web/api/fleet-api.ts";
import { freePort } from "../../support/free-port.ts";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "./appliance.ts";
import type { EtcdCluster } from "./etcd.ts";

/** Nodes answer each other after some renewals, on a machine that does other things as well. */
const SLOW_MS = 60_000;

export interface FleetOptions {
  /** False for nodes that each answer for their own desktops alone. */
  readonly hasCalls?: boolean;
  /** The name of a proxy before all of them. They have one port then, at addresses of their own: cookies are called after it. */
  readonly front?: string;
  /** Of the environment of all. */
  readonly more?: Readonly<Record<string, string>>;
  /** Of the environment of one. */
  readonly own?: (name: string) => Readonly<Record<string, string>>;
  /** The password of VNC viewers: each node has a port for the desktop called "desk", and one for its second monitor. */
  readonly vncPassword?: string;
}

interface Node {
  readonly appliance: Appliance;
  /** Of the whole desktop, and of its second monitor; none without a password. */
  readonly vncPorts: readonly number[];
}

/** Appliances that are nodes of one fleet and call each other. */
export class FleetNodes {
  readonly #nodes: ReadonlyMap<string, Node>;

  private constructor(nodes: ReadonlyMap<string, Node>) {
    this.#nodes = nodes;
  }

  /** Resolves when each node knows all of them. */
  static async start(
    owner: Owner,
    etcd: EtcdCluster,
    names: readonly string[],
    { hasCalls = true, front, more = {}, own: ownOf = () => ({}), vncPassword }: FleetOptions = {},
  ): Promise<FleetNodes> {
    const folder = mkdtempSync(join(tmpdir(), "oc-nodes-"));
    owner.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const secret = (name: string, value: string): string => {
      writeFileSync(join(folder, name), value, { mode: 0o600 });
      return join(folder, name);
    };
    const key = secret("key", randomBytes(32).toString("base64url"));
    const password = secret("password", `${etcd.login.password}\n`);
    const inEtcd = (name: string): string => join(etcd.dir, name);
    const port = front === undefined ? null : await freePort();
    const behind = front === undefined ? {} : { OC_ALLOWED_HOSTS: front, OC_TRUST_PROXY: "on" };
    const start = async (name: string, nth: number): Promise<readonly [string, Node]> => {
      const own = hasCalls ? await etcd.nodeCertificate(name) : null;
      const calls = own && { OC_CLUSTER_CALLS_CERT: own.cert, OC_CLUSTER_CALLS_CERT_KEY: own.key };
      const vncPorts = vncPassword === undefined ? [] : [await freePort(), await freePort()];
      const listeners = vncPorts.map((port, at) => ({
        ...{ port, desktop: "desk" },
        ...(at === 0 ? {} : { monitor: at + 1 }),
      }));
      const vnc = { vnc: { password: vncPassword, security: ["vnc-auth", "tls-plain"], listeners } };
      const env = {
        ...(vncPassword === undefined ? {} : { OC_CONFIG: secret(`${name}.json`, JSON.stringify(vnc)) }),
        OC_CLUSTER_ENDPOINTS: etcd.urls.join(),
        ...{ OC_CLUSTER_CA: inEtcd("ca.crt"), OC_CLUSTER_CERT: inEtcd("client.crt") },
        ...{ OC_CLUSTER_CERT_KEY: inEtcd("client.key"), OC_CLUSTER_LOGIN: etcd.login.name },
        ...{ OC_CLUSTER_PASSWORD_FILE: password, OC_CLUSTER_KEY_FILE: key, OC_CLUSTER_NODE: name },
        ...behind,
        ...(calls === null ? {} : { ...calls, OC_CLUSTER_CALLS: "127.0.0.1:0" }),
        ...more,
        ...ownOf(name),
      };
      const listen = port === null ? {} : { listen: `127.0.0.${nth + 2}:${port}` };
      return [name, { appliance: await Appliance.start(owner, { env, ...listen }), vncPorts }];
    };
    const fleet = new FleetNodes(new Map(await Promise.all(names.map(start))));
    const knowsAll = async (name: string): Promise<boolean> =>
      (await fleet.view(name)).nodes.length === names.length;
    for (const name of names) await until(`${name} to know all`, () => knowsAll(name), SLOW_MS);
    return fleet;
  }

  get names(): readonly string[] {
    return [...this.#nodes.keys()];
  }

  node(name: string): Appliance {
    const found = this.#nodes.get(name);
    if (found === undefined) throw new Error(`no node ${name}`);
    return found.appliance;
  }

  /** Where a node shows the desktop called "desk" to VNC viewers: the whole, or its second monitor. */
  vncPort(name: string, monitor: 1 | 2 = 1): number {
    return this.#nodes.get(name)?.vncPorts[monitor - 1] ?? 0;
  }

  /** As a node tells of it. */
  async view(name: string): Promise<FleetInfo> {
    return fleetSchema.parse(await (await this.node(name).fetch("/api/v1/fleet")).json());
  }

  /** The node that has a desktop, as the first tells; null: none. */
  async ownerOf(id: string, asked = this.names[0] ?? ""): Promise<string | null> {
    return (await this.view(asked)).desktops.find((one) => one.id === id)?.node ?? null;
  }

  /** Adds a VNC server of this machine; resolves when it is live, with its owner. */
  async add(vncPort: number): Promise<{ readonly id: string; readonly owner: string }> {
    const [first = ""] = this.names;
    const connection = { protocol: "vnc", host: "127.0.0.1", port: vncPort, name: "desk" };
    const answer = await this.node(first).fetch("/api/v1/desktops", connection);
    const { id } = z.looseObject({ id: z.string() }).parse(await answer.json());
    const owner = await until("an owner", () => this.ownerOf(id), SLOW_MS);
    const isLive = async (): Promise<boolean> => {
      const told = await this.node(owner).fetch(`/api/v1/desktops/${id}`);
      return told.ok && desktopSchema.parse(await told.json()).state.kind === "live";
    };
    await until("it is live", isLive, SLOW_MS);
    return { id, owner };
  }
}
