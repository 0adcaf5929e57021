import type { StatefulSet } from "kubernetes-types/apps/v1.d.ts";
import type {
  ContainerPort,
  EnvVar,
  PersistentVolumeClaim,
  PodSpec,
  Probe,
  Service,
  Volume,
} from "kubernetes-types/core/v1.d.ts";
import type { NetworkPolicy } from "kubernetes-types/networking/v1.d.ts";
import { stringify } from "yaml";

export const NAME = "overlay-companion";
export const LABELS = { "app.kubernetes.io/name": NAME };
export const PORT = 3000;
/** The user node of the image. */
const USER = 1000;
export const TOKEN_FILE = "/secret/token";
/** To be read by the image's user and group alone. */
export const SECRET_MODE = 0o440;

export const metadata = { name: NAME, labels: LABELS };

/** Restarting does not bring desktops back, so the probe asks only whether it answers. */
export const probe = (changes: Partial<Probe>): Probe => ({
  httpGet: { path: "/health", port: "web" },
  periodSeconds: 10,
  timeoutSeconds: 3,
  ...changes,
});

const service: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata,
  spec: { selector: LABELS, ports: [{ name: "web", port: PORT, targetPort: "web" }] },
};

/** What pods of one server and those of a fleet's nodes do not have in common. */
interface PodParts {
  readonly ports: ContainerPort[];
  readonly env: EnvVar[];
  readonly readinessProbe: Probe;
  readonly graceSeconds: number;
  /** Where each is mounted, to be read. */
  readonly secrets: readonly { readonly mountPath: string; readonly volume: Volume }[];
}

/** A pod of one container, without rights and on a root that it cannot write to. */
export function podOf({ ports, env, readinessProbe, graceSeconds, secrets }: PodParts): PodSpec {
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: graceSeconds,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      fsGroup: USER,
      fsGroupChangePolicy: "OnRootMismatch",
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [
      {
        name: NAME,
        image: NAME,
        imagePullPolicy: "IfNotPresent",
        ports: [{ name: "web", containerPort: PORT }, ...ports],
        env: [
          { name: "OC_HOST", value: "0.0.0.0" },
          { name: "OC_PORT", value: `${PORT}` },
          { name: "OC_DATA_DIR", value: "/data/companion" },
          { name: "OC_TRUST_PROXY", value: "on" },
          { name: "OC_ALLOWED_HOSTS", value: "desk.example.com" },
          { name: "OC_TOKEN_FILE", value: TOKEN_FILE },
          ...env,
        ],
        startupProbe: probe({ periodSeconds: 2, failureThreshold: 60 }),
        livenessProbe: probe({ failureThreshold: 6 }),
        readinessProbe,
        resources: { requests: { cpu: "500m", memory: "512Mi" }, limits: { memory: "2Gi" } },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        volumeMounts: [
          { name: "data", mountPath: "/data" },
          { name: "tmp", mountPath: "/tmp" },
          ...secrets.map(({ mountPath, volume: { name } }) => ({ name, mountPath, readOnly: true })),
        ],
      },
    ],
    volumes: [{ name: "tmp", emptyDir: { sizeLimit: "256Mi" } }, ...secrets.map(({ volume }) => volume)],
  };
}

/** The secret with the administrator's token. */
export const TOKEN = {
  mountPath: "/secret",
  volume: {
    name: "secret",
    secret: { secretName: NAME, defaultMode: SECRET_MODE, items: [{ key: "token", path: "token" }] },
  },
};

/** Recordings, the audit log and keys of one process. */
export const DATA: PersistentVolumeClaim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "20Gi" } } },
};

/** One: its data folder belongs to one process. */
const statefulSet: StatefulSet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata,
  spec: {
    serviceName: NAME,
    replicas: 1,
    selector: { matchLabels: LABELS },
    template: {
      metadata: { labels: LABELS },
      spec: podOf({
        ports: [],
        env: [],
        readinessProbe: probe({ failureThreshold: 2 }),
        // It says good-bye to viewers and seals recordings within five seconds.
        graceSeconds: 15,
        secrets: [TOKEN],
      }),
    },
    volumeClaimTemplates: [DATA],
  },
};

/** In by the ingress alone; out to names and desktops, never to a cloud's services for its machines. */
export const networkPolicy: NetworkPolicy = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata,
  spec: {
    podSelector: { matchLabels: LABELS },
    policyTypes: ["Ingress", "Egress"],
    ingress: [
      {
        from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress-nginx" } } }],
        ports: [{ port: "web", protocol: "TCP" }],
      },
    ],
    egress: [
      {
        to: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } } }],
        ports: [
          { port: 53, protocol: "UDP" },
          { port: 53, protocol: "TCP" },
        ],
      },
      {
        to: [
          {
            ipBlock: {
              cidr: "0.0.0.0/0",
              except: ["169.254.0.0/16", "168.63.129.16/32", "100.100.100.200/32"],
            },
          },
        ],
      },
    ],
  },
};

/** What is applied, in this order. */
export const KUBERNETES_OBJECTS = [service, networkPolicy, statefulSet] as const;

/** deploy/kubernetes/overlay-companion.yaml: typed here, so that the compiler compares it with Kubernetes' own schemas. */
export function renderKubernetes(): string {
  const head = `# Generated by \`npm run docs\` from scripts/kubernetes.ts. Do not edit: docs/guides/deployment.md says what to change by kustomize.
# The administrator's token is made first, and stands in no file:
#   kubectl create secret generic ${NAME} --from-literal=token="$(openssl rand -base64 32)"
`;
  return `${head}${renderObjects(KUBERNETES_OBJECTS)}`;
}

export function renderObjects(objects: readonly object[]): string {
  return objects
    .map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }))
    .join("---\n");
}
