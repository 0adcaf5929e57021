import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { AwsClient } from "aws4fetch";
import { freePort } from "../../support/free-port.ts";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import type { Peer } from "./peers.ts";

const run = promisify(execFile);

export const RADOSGW_PEERS: readonly Peer[] = ["ceph-mon", "ceph-osd", "radosgw", "ceph"];

/** A version of an object, or what marks that it was deleted. */
export interface StoredVersion {
  readonly key: string;
  readonly versionId: string;
  readonly isMarker: boolean;
}

/**
 * Ceph's S3 server on loopback, with one monitor and one disk that is memory: everything that Amazon's S3 does of which the
 * archive makes use. Up in about ten seconds.
 */
export class Radosgw {
  readonly url: string;
  readonly accessKey = "archive";
  readonly secretKey = randomBytes(20).toString("hex");
  readonly #aws: AwsClient;

  private constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`;
    this.#aws = new AwsClient({
      ...{ accessKeyId: this.accessKey, secretAccessKey: this.secretKey },
      ...{ service: "s3", region: "us-east-1", retries: 0 },
    });
  }

  static async start(owner: Owner): Promise<Radosgw> {
    const dir = mkdtempSync(join(tmpdir(), "oc-ceph-"));
    for (const folder of ["mon", "osd"]) mkdirSync(join(dir, folder));
    const monPort = await freePort();
    const [cluster, disk] = [randomUUID(), randomUUID()];
    writeFileSync(join(dir, "ceph.conf"), configOf(dir, cluster, monPort));
    const env = { CEPH_CONF: join(dir, "ceph.conf") };
    const call = (name: string, ...args: string[]) =>
      run(name, args, { cwd: dir, env: { ...process.env, ...env } });
    // Registered before the programs, so it runs when they have gone.
    owner.teardown(() => rmSync(dir, { recursive: true, force: true }));
    // Keys that are in the monitor's first keyring are known from its beginning.
    await call(
      "ceph-authtool",
      "--create-keyring",
      "keyring",
      "--gen-key",
      "-n",
      "mon.",
      "--cap",
      "mon",
      "allow *",
    );
    for (const [name, mon, osd] of [
      ["client.admin", "allow *", "allow *"],
      ["osd.0", "allow profile osd", "allow *"],
      ["client.rgw", "allow rw", "allow rwx"],
    ] as const) {
      const caps = ["--cap", "mon", mon, "--cap", "osd", osd];
      await call("ceph-authtool", "keyring", "--gen-key", "-n", name, ...caps);
    }
    const place = ["--addv", "a", `[v2:127.0.0.1:${monPort}]`];
    await call("monmaptool", "--create", ...place, "--fsid", cluster, "monmap");
    await call("ceph-mon", "--mkfs", "-i", "a", "--monmap", "monmap", "--keyring", "keyring");
    new Program(owner, "ceph-mon", ["-f", "-i", "a"], { env });
    // The same id in both, or the disk is not let in.
    await call("ceph", "--connect-timeout", "60", "osd", "new", disk);
    await call("ceph-osd", "--mkfs", "-i", "0", "--osd-uuid", disk, "--no-mon-config");
    new Program(owner, "ceph-osd", ["-f", "-i", "0"], { env });
    const port = await freePort();
    const frontend = `beast endpoint=127.0.0.1:${port} tcp_nodelay=1`;
    const gateway = new Program(owner, "radosgw", ["-f", "-n", "client.rgw", "--rgw-frontends", frontend], {
      env,
    });
    const server = new Radosgw(port);
    await until(
      "radosgw's first answer",
      () => !gateway.isRunning || fetch(server.url).then(({ ok }) => ok),
      120_000,
    );
    if (!gateway.isRunning) {
      const log = readFileSync(join(dir, "client.rgw.log"), "utf8").slice(-1000);
      throw new Error(`radosgw ended with ${gateway.exitCode}: ${log}`);
    }
    const keys = ["--access-key", server.accessKey, "--secret-key", server.secretKey];
    const user = ["user", "create", "--uid", "archive", "--display-name", "archive", ...keys];
    await call("radosgw-admin", "-n", "client.rgw", "--admin-socket", join(dir, "admin.asok"), ...user);
    return server;
  }

  /** A request as the owner of the buckets. Throws for an answer that is no yes. */
  async ask(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers = {},
  ): Promise<Response> {
    const answer = await this.#aws.fetch(`${this.url}/${path}`, {
      method,
      headers,
      ...(body ? { body } : {}),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  /** A bucket that keeps each version of an object, so that what is written twice is seen. */
  async makeBucket(name: string): Promise<void> {
    await this.ask("PUT", name);
    const on = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
    await this.ask("PUT", `${name}?versioning`, on);
  }

  /** Every version of every object. */
  async versions(bucket: string): Promise<StoredVersion[]> {
    const xml = await (await this.ask("GET", `${bucket}?versions&max-keys=1000`)).text();
    if (xml.includes("<IsTruncated>true")) throw new Error("more versions than are looked at");
    return [...xml.matchAll(/<(Version|DeleteMarker)>(.*?)<\/\1>/gs)].map(([, kind, inner = ""]) => ({
      key: /<Key>(.*?)<\/Key>/.exec(inner)?.[1] ?? "",
      versionId: /<VersionId>(.*?)<\/VersionId>/.exec(inner)?.[1] ?? "",
      isMarker: kind === "DeleteMarker",
    }));
  }

  /** How many uploads in parts were begun and not ended. */
  async openUploads(bucket: string): Promise<number> {
    const xml = await (await this.ask("GET", `${bucket}?uploads`)).text();
    return xml.match(/<Upload>/g)?.length ?? 0;
  }

  async read(bucket: string, key: string): Promise<Buffer> {
    return Buffer.from(await (await this.ask("GET", `${bucket}/${key}`)).arrayBuffer());
  }
}

function configOf(dir: string, cluster: string, monPort: number): string {
  return `[global]
fsid = ${cluster}
mon_host = v2:127.0.0.1:${monPort}/0
public_addr = 127.0.0.1
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
auth_allow_insecure_global_id_reclaim = false
osd_objectstore = memstore
memstore_device_bytes = 2147483648
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
run_dir = ${dir}
log_file = ${dir}/$name.log
mon_cluster_log_file = ${dir}/cluster.log
admin_socket = ${dir}/$name.asok
mon_data = ${dir}/mon
osd_data = ${dir}/osd
keyring = ${dir}/keyring
crash_dir = ${dir}
[client.rgw]
rgw_data = ${dir}
rgw_enable_gc_threads = false
rgw_enable_lc_threads = false
`;
}
