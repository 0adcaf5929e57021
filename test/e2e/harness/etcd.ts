import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import type { EtcdOptions } from "../../../src/cluster/etcd/etcd-servers.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { makeCertificates, makeNodeCertificate, type NodeCertificate } from "../../support/certificates.ts";
import { freePort } from "../../support/free-port.ts";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import type { Peer } from "./peers.ts";

const run = promisify(execFile);

const watchSchema = z.object({
  Events: z.array(z.object({ kv: z.object({ key: z.string(), value: z.string().optional() }) })).default([]),
});

export const ETCD_PEERS: readonly Peer[] = ["etcd", "etcdctl", "openssl"];

interface Member {
  readonly name: string;
  readonly url: string;
  readonly args: readonly string[];
  program: Program;
}

/**
 * Three servers of etcd on loopback, or as many as are asked for, with certificates that the test made for both sides, users and passwords: `nodes`
 * may write below /t/ and /oc/ and nothing else.
 */
export class EtcdCluster {
  readonly members: readonly Member[];
  readonly dir: string;
  readonly login = { name: "nodes", password: randomBytes(12).toString("hex") };
  readonly #rootPassword = randomBytes(12).toString("hex");
  readonly #owner: Owner;

  private constructor(owner: Owner, dir: string, members: readonly Member[]) {
    this.#owner = owner;
    this.dir = dir;
    this.members = members;
  }

  static async start(owner: Owner, members = 3): Promise<EtcdCluster> {
    const dir = mkdtempSync(join(tmpdir(), "oc-etcd-"));
    // Registered before the programs, so it runs when they have gone.
    owner.teardown(() => rmSync(dir, { recursive: true, force: true }));
    await makeCertificates(dir);
    const places = await Promise.all(
      ["a", "b", "c"]
        .slice(0, members)
        .map(async (name) => ({ name, client: await freePort(), peer: await freePort() })),
    );
    const file = (name: string): string => join(dir, name);
    const all = places.map(({ name, peer }) => `${name}=https://127.0.0.1:${peer}`).join();
    const started = places.map(({ name, client, peer }) => {
      const [url, peerUrl] = [`https://127.0.0.1:${client}`, `https://127.0.0.1:${peer}`];
      const own = ["--cert-file", file("server.crt"), "--key-file", file("server.key")];
      const args = [
        ...["--name", name, "--data-dir", file(name), "--initial-cluster", all],
        ...["--listen-client-urls", url, "--advertise-client-urls", url],
        ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
        ...["--client-cert-auth", "--trusted-ca-file", file("ca.crt"), ...own],
        ...["--peer-client-cert-auth", "--peer-trusted-ca-file", file("ca.crt")],
        ...["--peer-cert-file", file("server.crt"), "--peer-key-file", file("server.key")],
        // The least that bcrypt takes: its work is not what is tested.
        ...["--bcrypt-cost", "4"],
      ];
      return { name, url, args, program: new Program(owner, "etcd", args) };
    });
    const cluster = new EtcdCluster(owner, dir, started);
    await cluster.#prepare();
    return cluster;
  }

  /** The certificate of an authority that signed none of these. */
  static async foreignAuthority(owner: Owner): Promise<string> {
    const dir = mkdtempSync(join(tmpdir(), "oc-etcd-"));
    owner.teardown(() => rmSync(dir, { recursive: true, force: true }));
    await makeCertificates(dir);
    return readFileSync(join(dir, "ca.crt"), "utf8");
  }

  /** A certificate for a node of that name, of an authority that nobody else has. */
  static async foreignCertificate(owner: Owner, name: string): Promise<NodeCertificate> {
    const dir = mkdtempSync(join(tmpdir(), "oc-etcd-"));
    owner.teardown(() => rmSync(dir, { recursive: true, force: true }));
    await makeCertificates(dir);
    return await makeNodeCertificate(dir, name);
  }

  /** A certificate for a node of that name, of the same authority, for both sides: NAME.crt and NAME.key in `dir`. */
  nodeCertificate(name: string): Promise<NodeCertificate> {
    return makeNodeCertificate(this.dir, name);
  }

  get first(): Member {
    const [first] = this.members;
    if (first === undefined) throw new Error("no member");
    return first;
  }

  get urls(): readonly string[] {
    return this.members.map(({ url }) => url);
  }

  /** How a store is told of it. */
  options(endpoints = this.urls): EtcdOptions {
    return { endpoints, tls: this.tls, login: this.login, clock: systemClock };
  }

  get tls() {
    const read = (name: string): string => readFileSync(join(this.dir, name), "utf8");
    return { ca: read("ca.crt"), cert: read("client.crt"), key: read("client.key") };
  }

  /** Of those that run, who leads. */
  async leader(): Promise<Member> {
    return await until("a leader", async () => {
      for (const member of this.members) {
        if (!member.program.isRunning) continue;
        const { stdout } = await this.control(member, "endpoint", "status", "-w", "fields");
        const field = (name: string) => new RegExp(`"${name}" : (\\d+)`).exec(stdout)?.[1];
        if (field("MemberID") === field("Leader")) return member;
      }
      return null;
    });
  }

  restart(member: Member): void {
    member.program = new Program(this.#owner, "etcd", member.args);
  }

  /** As the administrator; etcd's own client, which none of our code is in. */
  async control(member: Member, ...args: string[]): Promise<{ readonly stdout: string }> {
    return await this.#control(member, [...args, "--user", `root:${this.#rootPassword}`]);
  }

  /** What was written below a prefix from the beginning on, as etcd's own client hears of it, oldest first: key and value. */
  history(owner: Owner, prefix: string): () => readonly (readonly [string, string])[] {
    const user = ["--user", `root:${this.#rootPassword}`];
    const args = ["watch", "--prefix", prefix, "--rev", "1", "-w", "json", ...user];
    const watch = new Program(owner, "etcdctl", [...args, ...this.#files(this.urls.join())], {
      env: { ETCDCTL_API: "3" },
    });
    const text = (base64: string): string => Buffer.from(base64, "base64").toString();
    return () =>
      watch.stdout
        .split("\n")
        .slice(0, -1)
        .flatMap((line) => watchSchema.parse(JSON.parse(line)).Events)
        .flatMap(({ kv: { key, value } }) =>
          value === undefined ? [] : [[text(key), text(value)] as const],
        );
  }

  async #prepare(): Promise<void> {
    const { first } = this;
    const call = (...args: string[]) => this.#control(first, args);
    await until("a leader", () => call("endpoint", "health").then(() => true));
    await call("user", "add", `root:${this.#rootPassword}`);
    await call("user", "grant-role", "root", "root");
    await call("user", "add", `${this.login.name}:${this.login.password}`);
    await call("role", "add", "nodes");
    for (const prefix of ["/t/", "/oc/", "/overlay-companion/"]) {
      await call("role", "grant-permission", "nodes", "readwrite", prefix, "--prefix");
    }
    await call("role", "grant-permission", "nodes", "readwrite", "/t", "/u");
    await call("user", "grant-role", this.login.name, "nodes");
    await call("auth", "enable");
  }

  #control({ url }: Member, args: readonly string[]) {
    return run("etcdctl", [...args, ...this.#files(url)], { env: { ...process.env, ETCDCTL_API: "3" } });
  }

  #files(endpoints: string): readonly string[] {
    const file = (name: string): string => join(this.dir, name);
    const own = ["--cert", file("client.crt"), "--key", file("client.key")];
    return ["--endpoints", endpoints, "--cacert", file("ca.crt"), ...own];
  }
}
