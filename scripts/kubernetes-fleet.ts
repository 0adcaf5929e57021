import type { StatefulSet } from "kubernetes-types/apps/v1.d.ts";
import type { EnvVar, Probe, Service } from "kubernetes-types/core/v1.d.ts";
import type { NetworkPolicy } from "kubernetes-types/networking/v1.d.ts";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import {
  DATA,
  LABELS,
  metadata,
  NAME,
  networkPolicy,
  PORT,
  podOf,
  renderObjects,
  SECRET_MODE,
  TOKEN,
  TOKEN_FILE,
} from "./kubernetes.ts";

const NODES = 3;
const CALLS_PORT = 3443;
/** Each node has a name below it, ready or not: nodes call each other before people may. */
const NODES_NAME = `${NAME}-nodes`;
const FLEET_SECRET = `${NAME}-fleet`;
const CALLS_SECRET = `${NAME}-calls`;

/** A session of MCP, and who is at a page, stay at the node that they began on. */
const front: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata,
  spec: {
    selector: LABELS,
    sessionAffinity: "ClientIP",
    ports: [{ name: "web", port: PORT, targetPort: "web" }],
  },
};

const nodes: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: NODES_NAME, labels: LABELS },
  spec: {
    clusterIP: "None",
    publishNotReadyAddresses: true,
    selector: LABELS,
    ports: [
      { name: "web", port: PORT, targetPort: "web" },
      { name: "calls", port: CALLS_PORT, targetPort: "calls" },
    ],
  },
};

/** A machine that is emptied takes one node at a time, which hands over its desktops first. */
const budget: PodDisruptionBudget = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata,
  spec: { maxUnavailable: 1, selector: { matchLabels: LABELS } },
};

/** As for one server, and nodes call each other. */
const policy: NetworkPolicy = {
  ...networkPolicy,
  spec: {
    podSelector: { matchLabels: LABELS },
    ...networkPolicy.spec,
    ingress: [
      ...(networkPolicy.spec?.ingress ?? []),
      { from: [{ podSelector: { matchLabels: LABELS } }], ports: [{ port: "calls", protocol: "TCP" }] },
    ],
  },
};

/** `/readyz` is for who has a token, which stands in no manifest. */
const ASK_READY = `fetch("http://127.0.0.1:${PORT}/readyz", { headers: { authorization: "Bearer " + require("fs").readFileSync("${TOKEN_FILE}", "utf8").trim() } }).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`;

const readiness: Probe = {
  exec: { command: ["node", "-e", ASK_READY] },
  periodSeconds: 15,
  timeoutSeconds: 5,
  failureThreshold: 2,
};

const env: EnvVar[] = [
  {
    name: "OC_CLUSTER_ENDPOINTS",
    value: "https://etcd-0.etcd:2379,https://etcd-1.etcd:2379,https://etcd-2.etcd:2379",
  },
  { name: "OC_CLUSTER_CA", value: "/fleet/ca.crt" },
  { name: "OC_CLUSTER_CERT", value: "/fleet/etcd.crt" },
  { name: "OC_CLUSTER_CERT_KEY", value: "/fleet/etcd.key" },
  { name: "OC_CLUSTER_LOGIN", value: "nodes" },
  { name: "OC_CLUSTER_PASSWORD_FILE", value: "/fleet/password" },
  { name: "OC_CLUSTER_KEY_FILE", value: "/fleet/key" },
  { name: "OC_CLUSTER_NODE", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
  { name: "OC_CLUSTER_ADDRESS", value: `http://$(OC_CLUSTER_NODE).${NODES_NAME}:${PORT}` },
  { name: "OC_CLUSTER_CALLS", value: `0.0.0.0:${CALLS_PORT}` },
  { name: "OC_CLUSTER_CALLS_CA", value: "/calls/ca.crt" },
  { name: "OC_CLUSTER_CALLS_CERT", value: "/calls/tls.crt" },
  { name: "OC_CLUSTER_CALLS_CERT_KEY", value: "/calls/tls.key" },
  { name: "OC_CLUSTER_ZONES", value: "default" },
  { name: "OC_CLUSTER_CAPACITY", value: "60" },
];

const statefulSet: StatefulSet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata,
  spec: {
    serviceName: NODES_NAME,
    replicas: NODES,
    // One node after the other is another version, and only once the one before it has been ready for a while.
    minReadySeconds: 15,
    selector: { matchLabels: LABELS },
    template: {
      metadata: { labels: LABELS },
      spec: {
        ...podOf({
          ports: [{ name: "calls", containerPort: CALLS_PORT }],
          env,
          readinessProbe: readiness,
          // It hands over its desktops one by one, each within a second or two.
          graceSeconds: 150,
          secrets: [
            TOKEN,
            {
              mountPath: "/fleet",
              volume: { name: "fleet", secret: { secretName: FLEET_SECRET, defaultMode: SECRET_MODE } },
            },
            {
              mountPath: "/calls",
              volume: { name: "calls", secret: { secretName: CALLS_SECRET, defaultMode: SECRET_MODE } },
            },
          ],
        }),
        // Of nodes on one machine all desktops would move at once.
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "kubernetes.io/hostname",
            whenUnsatisfiable: "DoNotSchedule",
            labelSelector: { matchLabels: LABELS },
          },
        ],
      },
    },
    volumeClaimTemplates: [DATA],
  },
};

/** What is applied, in this order. */
export const FLEET_OBJECTS = [front, nodes, policy, budget, statefulSet] as const;

/** deploy/kubernetes/fleet.yaml: see renderKubernetes. */
export function renderKubernetesFleet(): string {
  const names = Array.from({ length: NODES }, (_, nth) => `${NAME}-${nth}`).join(", ");
  const head = `# Generated by \`npm run docs\` from scripts/kubernetes-fleet.ts. Do not edit: docs/guides/fleet.md says what to change by kustomize.
# Instead of overlay-companion.yaml, beside an etcd. Secrets are made first, and stand in no file:
#   kubectl create secret generic ${NAME} --from-literal=token="$(openssl rand -base64 32)"
#   kubectl create secret generic ${FLEET_SECRET} --from-literal=key="$(openssl rand -base64 32)" \\
#     --from-file=ca.crt --from-file=etcd.crt --from-file=etcd.key --from-file=password
#   kubectl create secret generic ${CALLS_SECRET} --from-file=ca.crt --from-file=tls.crt --from-file=tls.key
# tls.crt is for servers and clients, and has the DNS names ${names}.
`;
  return `${head}${renderObjects(FLEET_OBJECTS)}`;
}
