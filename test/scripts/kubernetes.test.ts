import { readFileSync } from "node:fs";
import t from "tap";
import { parseAllDocuments } from "yaml";
import { KUBERNETES_OBJECTS } from "../../scripts/kubernetes.ts";
import { loadConfig } from "../../src/config/load-config.ts";

const file = new URL("../../deploy/kubernetes/overlay-companion.yaml", import.meta.url);

t.test("the manifests are what is typed, and each refers to what is there", async (t) => {
  const documents = parseAllDocuments(readFileSync(file, "utf8")).map((document) => document.toJS());
  t.same(documents, JSON.parse(JSON.stringify(KUBERNETES_OBJECTS)));
  const [service, policy, set] = KUBERNETES_OBJECTS;
  const pod = set.spec?.template.spec;
  const [container] = pod?.containers ?? [];
  const labels = set.spec?.template.metadata?.labels;
  t.same(service.spec?.selector, labels);
  t.same(policy.spec?.podSelector?.matchLabels, labels);
  t.same(set.spec?.selector.matchLabels, labels);
  const ports = container?.ports?.map(({ name }) => name);
  for (const port of [
    service.spec?.ports?.[0]?.targetPort,
    policy.spec?.ingress?.[0]?.ports?.[0]?.port,
    container?.livenessProbe?.httpGet?.port,
  ])
    t.same(port, ports?.[0]);
  const volumes = [
    ...(pod?.volumes ?? []).map(({ name }) => name),
    ...(set.spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name),
  ];
  t.same(container?.volumeMounts?.map(({ name }) => name).sort(), volumes.sort());
});

t.test("the configuration of the pod is one that the appliance takes", async (t) => {
  const [, , set] = KUBERNETES_OBJECTS;
  const dir = t.testdir({ token: "a-token-of-this-test\n" });
  const env = Object.fromEntries(
    (set.spec?.template.spec?.containers[0]?.env ?? []).map(({ name, value }) => [
      name,
      value?.replace("/secret", dir),
    ]),
  );
  const { server, auth, data_dir } = loadConfig({
    env,
    flags: {},
    file: undefined,
    connect: [],
    isDemo: false,
    isStdio: false,
  });
  t.match(server, { host: "0.0.0.0", port: 3000, trust_proxy: true, allowed_hosts: ["desk.example.com"] });
  t.equal(auth.token, "a-token-of-this-test");
  t.equal(data_dir, "/data/companion");
});
