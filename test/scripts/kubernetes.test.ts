import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import t from "tap";
import { parseAllDocuments } from "yaml";
import { KUBERNETES_OBJECTS } from "../../scripts/kubernetes.ts";
import { FLEET_OBJECTS } from "../../scripts/kubernetes-fleet.ts";
import type { Config } from "../../src/config/config-schema.ts";
import { loadConfig } from "../../src/config/load-config.ts";

const [service, policy, single] = KUBERNETES_OBJECTS;
const [front, nodes, nodesPolicy, budget, fleet] = FLEET_OBJECTS;

for (const { file, objects, set, policies, services } of [
  {
    ...{ file: "overlay-companion.yaml", objects: KUBERNETES_OBJECTS, set: single, policies: [policy] },
    services: [service],
  },
  {
    ...{ file: "fleet.yaml", objects: FLEET_OBJECTS, set: fleet, policies: [nodesPolicy] },
    services: [front, nodes],
  },
]) {
  t.test(`the manifests of ${file} are what is typed, and each refers to what is there`, async (t) => {
    const path = new URL(`../../deploy/kubernetes/${file}`, import.meta.url);
    const documents = parseAllDocuments(readFileSync(path, "utf8")).map((document) => document.toJS());
    t.same(documents, JSON.parse(JSON.stringify(objects)));
    const pod = set.spec?.template.spec;
    const [container] = pod?.containers ?? [];
    const labels = set.spec?.template.metadata?.labels;
    t.same(set.spec?.selector.matchLabels, labels);
    for (const { spec } of services) t.same(spec?.selector, labels);
    for (const { spec } of policies) t.same(spec?.podSelector?.matchLabels, labels);
    const ports = container?.ports?.map(({ name }) => name);
    const asked = [
      ...services.flatMap(({ spec }) => spec?.ports?.map(({ targetPort }) => targetPort) ?? []),
      ...policies.flatMap(({ spec }) =>
        (spec?.ingress ?? []).flatMap((rule) => rule.ports?.map(({ port }) => port) ?? []),
      ),
      container?.livenessProbe?.httpGet?.port,
    ];
    for (const port of asked) t.ok(ports?.includes(String(port)), `the port ${port}`);
    t.ok(services.some(({ metadata }) => metadata?.name === set.spec?.serviceName));
    const volumes = [
      ...(pod?.volumes ?? []).map(({ name }) => name),
      ...(set.spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name),
    ];
    t.same(container?.volumeMounts?.map(({ name }) => name).sort(), volumes.sort());
  });
}

/** What the appliance makes of a pod's environment; secrets are in `dir`, by the folders of the pod. */
function configOf(set: typeof single, podName: string, dir: string): Config {
  const known: Record<string, string> = {};
  for (const { name, value, valueFrom } of set.spec?.template.spec?.containers[0]?.env ?? []) {
    const said = valueFrom?.fieldRef?.fieldPath === "metadata.name" ? podName : value;
    // As Kubernetes does with those that stand before.
    known[name] = (said ?? "").replace(/\$\((\w+)\)/g, (_, other: string) => known[other] ?? "");
  }
  const env = Object.fromEntries(
    Object.entries(known).map(([name, value]) => [
      name,
      value.replace(/^\/(secret|fleet|calls)\//, `${dir}/$1/`),
    ]),
  );
  return loadConfig({ env, flags: {}, file: undefined, connect: [], isDemo: false, isStdio: false });
}

t.test("the configuration of the pod is one that the appliance takes", async (t) => {
  const dir = t.testdir({ secret: { token: "a-token-of-this-test\n" } });
  const { server, auth, data_dir, cluster } = configOf(single, "overlay-companion-0", dir);
  t.match(server, { host: "0.0.0.0", port: 3000, trust_proxy: true, allowed_hosts: ["desk.example.com"] });
  t.equal(auth.token, "a-token-of-this-test");
  t.equal(data_dir, "/data/companion");
  t.same(cluster.endpoints, [], "alone");
});

t.test("each pod of a fleet is a node of its own name, which the others reach", async (t) => {
  const dir = t.testdir({
    secret: { token: "a-token-of-this-test\n" },
    fleet: { key: `${"k".repeat(44)}\n`, password: "etcd's\n" },
  });
  const { cluster } = configOf(fleet, "overlay-companion-2", dir);
  t.match(cluster, {
    ...{ node: "overlay-companion-2", key: "k".repeat(44), login: "nodes", password: "etcd's" },
    address: `http://overlay-companion-2.${nodes.metadata?.name}:3000`,
    calls: "0.0.0.0:3443",
    calls_cert: `${dir}/calls/tls.crt`,
  });
  t.equal(cluster.endpoints.length, 3);
  t.equal(nodes.spec?.clusterIP, "None", "a name for each");
  t.equal(nodes.spec?.publishNotReadyAddresses, true);
  t.same(budget.spec?.selector?.matchLabels, fleet.spec?.template.metadata?.labels);
  t.equal(budget.spec?.maxUnavailable, 1);
  const names = Array.from(
    { length: fleet.spec?.replicas ?? 0 },
    (_, nth) => `${fleet.metadata?.name}-${nth}`,
  );
  const text = readFileSync(new URL("../../deploy/kubernetes/fleet.yaml", import.meta.url), "utf8");
  t.ok(text.includes(`DNS names ${names.join(", ")}`), "whose certificate is for all of them");
});

t.test("a node of a fleet is ready when /readyz says so to the administrator's token", async (t) => {
  let status = 200;
  const asked: (string | undefined)[] = [];
  const server = createServer(({ url, headers }, response) => {
    asked.push(`${url} ${headers.authorization}`);
    response.writeHead(status).end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const dir = t.testdir({ token: "a-token-of-this-test\n" });
  const [program = "", flag = "", script = ""] =
    fleet.spec?.template.spec?.containers[0]?.readinessProbe?.exec?.command ?? [];
  t.same([program, flag], ["node", "-e"]);
  const code = (): Promise<number | null> =>
    new Promise((resolve) => {
      const here = script.replace(":3000/", `:${port}/`).replace("/secret/token", `${dir}/token`);
      execFile(process.execPath, [flag, here]).once("exit", resolve);
    });
  t.equal(await code(), 0);
  t.same(asked, ["/readyz Bearer a-token-of-this-test"]);
  status = 503;
  t.equal(await code(), 1);
  server.closeAllConnections();
  server.close();
  await once(server, "close");
  t.equal(await code(), 1, "nobody answers");
});
