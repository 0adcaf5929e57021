import * as z from "zod";
import { PROVIDERS } from "../analysis/analysis.ts";
import { TOOLSETS } from "../auth/principal.ts";
import type { ConnectionInput } from "../desktop/connections/connection.ts";
import { customRulesSchema } from "../desktop/control/custom-rules-fields.ts";
import { MODES } from "../desktop/control/policy.ts";
import { VIEWER_SECURITY } from "../web/viewer/security.ts";
import { analysisSchema } from "./analysis-schema.ts";
import { approvalsSchema } from "./approvals-schema.ts";
import { auditSchema } from "./audit-schema.ts";
import { basePath } from "./base-path.ts";
import { clusterSchema } from "./cluster/cluster-schema.ts";
import { isOrigin, list, port, toggle } from "./config-values.ts";
import { connectionSchema } from "./connection-schema.ts";
import { masksSchema } from "./masks-schema.ts";
import { oidcSchema } from "./oidc-schema.ts";
import { browserSchema, clipboardSchema } from "./policy-schema.ts";
import { pushSchema } from "./push-schema.ts";
import { rateLimitsSchema } from "./rate-limits-schema.ts";
import { recordingSchema } from "./recording-schema.ts";
import { sealingSchema } from "./sealing-schema.ts";
import { secretsSchema } from "./secrets-schema.ts";
import { targetsSchema } from "./targets-schema.ts";
import { telemetrySchema } from "./telemetry-schema.ts";
import { viewerSchema } from "./viewer-schema.ts";
import { visionSchema } from "./vision-schema.ts";

/** Everything that can be configured: the file's shape, and, through CONFIG_KEYS, the environment's and the flags'. */
export const configSchema = z.strictObject({
  server: z
    .strictObject({
      host: z
        .string()
        .min(1)
        .default("127.0.0.1")
        .describe("Address to listen on. Beyond loopback a credential is always needed."),
      network: z
        .enum(["off", "tls", "plain"])
        .default("off")
        .describe(
          "Serve the local network: tls listens on this machine's address there (where host is loopback), with a certificate of its own that is made at the first start and kept, unless tls_cert names one; plain does so without TLS. The flags: --network, and --network --insecure.",
        ),
      port: port
        .default(3000)
        .describe("Port of the web app, REST, WebSockets and MCP. 0 takes any free one."),
      allowed_hosts: list
        .default([])
        .describe(
          "Names accepted in Host and Origin beside loopback and the address itself, separated by commas.",
        ),
      cors_origins: list
        .pipe(z.array(z.string().refine(isOrigin, "expected an origin such as https://panel.example.com")))
        .default([])
        .describe(
          "Origins of other sites whose pages may call with a token of their own (CORS), separated by commas; cookies count for none of them.",
        ),
      trust_proxy: toggle
        .default(false)
        .describe(
          "Believe the X-Forwarded-* headers of the one proxy that connects to us: only behind a proxy of your own.",
        ),
      base_path: basePath
        .default("")
        .describe(
          "Path below which a proxy shows the app on a host that has other programs too, such as /oc; without it the app has the host for itself.",
        ),
      tls_cert: z
        .string()
        .optional()
        .describe("PEM file of the certificate; with tls_key the server speaks HTTPS."),
      tls_key: z.string().optional().describe("PEM file of the private key."),
    })
    .prefault({}),
  auth: z
    .strictObject({
      token: z
        .string()
        .min(16)
        .optional()
        .describe(
          "Admin token of 16 characters or more. Without it one is made at the first start and kept in the data directory.",
        ),
    })
    .prefault({}),
  oidc: oidcSchema,
  data_dir: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Where tokens, connections, recordings and the audit log are kept. Without it: overlay-companion in XDG_DATA_HOME, else in ~/.local/share.",
    ),
  mode: z
    .enum(MODES)
    .default("assist")
    .describe(
      "What agents may do: passive (nothing), assist (each input is asked), composing (typing is free, the rest is asked), autopilot (all), custom (custom_rules).",
    ),
  vnc: z
    .strictObject({
      port: port
        .optional()
        .describe("Port on which ordinary VNC viewers get the composited desktop. Off without it."),
      security: list
        .pipe(z.array(z.enum(["auto", ...VIEWER_SECURITY])).min(1))
        .default(["auto"])
        .describe(
          "How VNC viewers sign in, the preferred way first, separated by commas: vnc-auth, tls-vnc, x509-vnc (vnc.password), ra2ne, ard, tls-plain, x509-plain, ms-logon (name or id of a token, and the token), none, tls-none, x509-none (nothing: view-only, on loopback only). x509 needs server.tls_cert. auto: all that authenticate but ms-logon, which hides nothing.",
        ),
      password: z
        .string()
        .min(1)
        .max(8)
        .optional()
        .describe("Password of VNC viewers; VncAuth uses its first 8 characters."),
      role: z
        .enum(["operator", "viewer"])
        .default("operator")
        .describe("What who signs in by vnc.password may: operator gives input, viewer looks on."),
      listeners: z
        .array(
          z.strictObject({
            port,
            desktop: z.string().min(1).max(100).optional(),
            monitor: z.int().min(1).max(255).optional(),
          }),
        )
        .max(64)
        .default([])
        .describe(
          "More ports for VNC viewers, each with port, desktop (id or name, of a fleet wherever it is; else the active one) and monitor (from 1 on; else all of the desktop).",
        ),
    })
    .prefault({}),
  viewer: viewerSchema,
  approvals: approvalsSchema,
  requests: z
    .strictObject({
      expiry_ms: z.coerce
        .number()
        .int()
        .min(10_000)
        .max(86_400_000)
        .default(900_000)
        .describe(
          "What an agent asks a person for by request_human ends by itself after this time, unless somebody is at it.",
        ),
    })
    .prefault({}),
  custom_rules: customRulesSchema
    .optional()
    .describe(
      "What the mode custom allows: each of its keys is allow, ask or deny; what is not named is asked.",
    ),
  clipboard: clipboardSchema,
  browser: browserSchema,
  input: z
    .strictObject({
      human_idle_ms: z.coerce
        .number()
        .int()
        .min(0)
        .max(3_600_000)
        .default(30_000)
        .describe(
          "A person who used mouse or keyboard holds the input until they give it back or rest so long; 0: only until they give it back. It ends, too, when their last viewer of the desktop has been gone for 10 s.",
        ),
    })
    .prefault({}),
  screenshots: z
    .strictObject({
      keep_minutes: z.coerce
        .number()
        .min(0)
        .max(10_080)
        .default(60)
        .describe(
          "Pictures that agents were given are forgotten so much later; 0: at once. They are kept in memory, never on the disk.",
        ),
      memory_mb: z.coerce
        .number()
        .int()
        .min(1)
        .max(4096)
        .default(64)
        .describe("MiB of such pictures at most; the oldest go first."),
    })
    .prefault({}),
  targets: targetsSchema,
  mcp: z
    .strictObject({
      toolsets: list
        .pipe(z.array(z.enum(TOOLSETS)))
        .default([])
        .describe(
          "Which tools agents see, separated by commas: core (what most work needs, 16 tools), read, overlay, input, admin. Without it all. A token made with --toolsets has its own; ?toolsets= in a URL leaves a part of them.",
        ),
    })
    .prefault({}),
  analysis: analysisSchema,
  rate_limits: rateLimitsSchema,
  recording: recordingSchema,
  vision: visionSchema,
  audit: auditSchema,
  telemetry: telemetrySchema,
  log: z
    .strictObject({
      level: z
        .enum(["debug", "info", "warn", "error", "silent"])
        .default("info")
        .describe("Of the log on standard error."),
    })
    .prefault({}),
  core_files: toggle
    .default(false)
    .describe(
      "Where the server crashes on Linux it may leave a core file, for who debugs it: all its memory, with secrets and what desktops show. SIGUSR1 opens it to Node's debugger then.",
    ),
  masks: masksSchema,
  push: pushSchema,
  secrets: secretsSchema,
  sealing: sealingSchema,
  cluster: clusterSchema,
  connections: z
    .array(connectionSchema)
    .default([])
    .describe("Desktops to connect to at start; what each may say is below."),
});

export type Config = Omit<z.output<typeof configSchema>, "connections" | "data_dir"> & {
  readonly connections: readonly ConnectionInput[];
  readonly data_dir: string;
  readonly isStdio: boolean;
};

export interface ConfigKey {
  /** Dotted path in the file. */
  readonly path: string;
  /** Environment variables, the first one wins. */
  readonly env: readonly string[];
  /** Flag of `serve`, without its dashes. */
  readonly flag: string | null;
  /** The environment variable may also be given as NAME_FILE, a file that holds the value. */
  readonly isSecret: boolean;
}

const key = (
  path: string,
  env: readonly string[],
  flag: string | null = null,
  isSecret = false,
): ConfigKey => ({
  path,
  env,
  flag,
  isSecret,
});

/** Which keys the environment and the flags reach. */
export const CONFIG_KEYS: readonly ConfigKey[] = [
  key("server.host", ["OC_HOST"], "host"),
  key("server.network", ["OC_NETWORK"], "network"),
  key("server.port", ["OC_PORT", "PORT"], "port"),
  key("server.allowed_hosts", ["OC_ALLOWED_HOSTS"]),
  key("server.cors_origins", ["OC_CORS_ORIGINS"]),
  key("server.trust_proxy", ["OC_TRUST_PROXY"]),
  key("server.base_path", ["OC_BASE_PATH"]),
  key("server.tls_cert", ["OC_TLS_CERT"]),
  key("server.tls_key", ["OC_TLS_KEY"]),
  key("auth.token", ["OC_TOKEN"], null, true),
  key("oidc.issuer", ["OC_OIDC_ISSUER"]),
  key("oidc.client_id", ["OC_OIDC_CLIENT_ID"]),
  key("oidc.client_secret", ["OC_OIDC_CLIENT_SECRET"], null, true),
  key("oidc.name", ["OC_OIDC_NAME"]),
  key("oidc.scopes", ["OC_OIDC_SCOPES"]),
  key("oidc.role_claim", ["OC_OIDC_ROLE_CLAIM"]),
  key("oidc.roles", ["OC_OIDC_ROLES"]),
  key("oidc.desktops", ["OC_OIDC_DESKTOPS"]),
  key("oidc.mcp_resource", ["OC_OIDC_MCP_RESOURCE"]),
  key("oidc.mcp_scopes", ["OC_OIDC_MCP_SCOPES"]),
  key("oidc.session_minutes", ["OC_OIDC_SESSION_MINUTES"]),
  key("oidc.check_seconds", ["OC_OIDC_CHECK_SECONDS"]),
  key("oidc.clock_skew_s", ["OC_OIDC_CLOCK_SKEW_S"]),
  key("data_dir", ["OC_DATA_DIR"], "data-dir"),
  key("sealing.key", ["OC_SEALING_KEY"], null, true),
  key("cluster.endpoints", ["OC_CLUSTER_ENDPOINTS"]),
  key("cluster.ca", ["OC_CLUSTER_CA"]),
  key("cluster.cert", ["OC_CLUSTER_CERT"]),
  key("cluster.cert_key", ["OC_CLUSTER_CERT_KEY"]),
  key("cluster.login", ["OC_CLUSTER_LOGIN"]),
  key("cluster.password", ["OC_CLUSTER_PASSWORD"], null, true),
  key("cluster.key", ["OC_CLUSTER_KEY"], null, true),
  key("cluster.node", ["OC_CLUSTER_NODE"]),
  key("cluster.address", ["OC_CLUSTER_ADDRESS"]),
  key("cluster.calls", ["OC_CLUSTER_CALLS"]),
  key("cluster.calls_ca", ["OC_CLUSTER_CALLS_CA"]),
  key("cluster.calls_cert", ["OC_CLUSTER_CALLS_CERT"]),
  key("cluster.calls_cert_key", ["OC_CLUSTER_CALLS_CERT_KEY"]),
  key("cluster.zones", ["OC_CLUSTER_ZONES"]),
  key("cluster.capacity", ["OC_CLUSTER_CAPACITY"]),
  key("mode", ["OC_MODE"], "mode"),
  key("vnc.port", ["OC_VNC_PORT"], "vnc-port"),
  key("vnc.security", ["OC_VNC_SECURITY"]),
  key("vnc.password", ["OC_VNC_PASSWORD"], null, true),
  key("viewer.film_encoder", ["OC_FILM_ENCODER"]),
  key("approvals.expiry_ms", ["OC_APPROVAL_EXPIRY_MS"]),
  key("approvals.arming_ms", ["OC_APPROVAL_ARMING_MS"]),
  key("approvals.four_eyes", ["OC_APPROVAL_FOUR_EYES"]),
  key("requests.expiry_ms", ["OC_REQUEST_EXPIRY_MS"]),
  key("clipboard.read", ["OC_CLIPBOARD_READ"]),
  key("clipboard.write", ["OC_CLIPBOARD_WRITE"]),
  key("browser.mode", ["OC_BROWSER_MODE"]),
  key("browser.scripts", ["OC_BROWSER_SCRIPTS"]),
  key("browser.mask_passwords", ["OC_BROWSER_MASK_PASSWORDS"]),
  key("input.human_idle_ms", ["OC_HUMAN_IDLE_MS"]),
  key("screenshots.keep_minutes", ["OC_SCREENSHOTS_KEEP_MINUTES"]),
  key("screenshots.memory_mb", ["OC_SCREENSHOTS_MEMORY_MB"]),
  key("targets.allow", ["OC_TARGETS_ALLOW"]),
  key("targets.only", ["OC_TARGETS_ONLY"]),
  key("targets.deny", ["OC_TARGETS_DENY"]),
  key("targets.tls_trust", ["OC_TLS_TRUST"]),
  key("targets.reverse_listen", ["OC_REVERSE_LISTEN"]),
  key("targets.require_nla", ["OC_REQUIRE_NLA"]),
  key("mcp.toolsets", ["OC_TOOLSETS"], "toolsets"),
  key("analysis.provider", ["OC_ANALYSIS_PROVIDER"]),
  key("analysis.timeout_s", ["OC_ANALYSIS_TIMEOUT_S"]),
  ...PROVIDERS.flatMap((name) => [
    key(`analysis.${name}.model`, [`OC_ANALYSIS_${name.toUpperCase()}_MODEL`]),
    key(`analysis.${name}.api_key`, [`OC_ANALYSIS_${name.toUpperCase()}_API_KEY`], null, true),
    key(`analysis.${name}.endpoint`, [`OC_ANALYSIS_${name.toUpperCase()}_ENDPOINT`]),
  ]),
  key("rate_limits.enabled", ["OC_RATE_LIMITS"]),
  key("recording.policy", ["OC_RECORDING_POLICY"]),
  key("recording.on_full", ["OC_RECORDING_ON_FULL"]),
  key("recording.text", ["OC_RECORDING_TEXT"]),
  key("recording.max_fps", ["OC_RECORDING_MAX_FPS"]),
  key("recording.budget_mb_per_min", ["OC_RECORDING_BUDGET_MB_PER_MIN"]),
  key("recording.disk_floor_mb", ["OC_RECORDING_DISK_FLOOR_MB"]),
  key("recording.keep_days", ["OC_RECORDING_KEEP_DAYS"]),
  key("recording.keep_mb", ["OC_RECORDING_KEEP_MB"]),
  key("recording.encrypt", ["OC_RECORDING_ENCRYPT"]),
  key("recording.archive.endpoint", ["OC_RECORDING_ARCHIVE_ENDPOINT"]),
  key("recording.archive.bucket", ["OC_RECORDING_ARCHIVE_BUCKET"]),
  key("recording.archive.prefix", ["OC_RECORDING_ARCHIVE_PREFIX"]),
  key("recording.archive.region", ["OC_RECORDING_ARCHIVE_REGION"]),
  key("recording.archive.path_style", ["OC_RECORDING_ARCHIVE_PATH_STYLE"]),
  key("recording.archive.access_key", ["OC_RECORDING_ARCHIVE_ACCESS_KEY"], null, true),
  key("recording.archive.secret_key", ["OC_RECORDING_ARCHIVE_SECRET_KEY"], null, true),
  key("recording.archive.audit", ["OC_RECORDING_ARCHIVE_AUDIT"]),
  key("recording.archive.ca", ["OC_RECORDING_ARCHIVE_CA"]),
  key("vision.engine", ["OC_VISION_ENGINE"]),
  key("audit.sink", ["AUDIT_SINK"]),
  key("audit.key", ["AUDIT_KEY"], null, true),
  key("audit.rotate_mb", ["AUDIT_ROTATE_MB"]),
  key("audit.rotate_days", ["AUDIT_ROTATE_DAYS"]),
  key("audit.keep_days", ["AUDIT_KEEP_DAYS"]),
  key("audit.keep_mb", ["AUDIT_KEEP_MB"]),
  key("audit.delivery", ["AUDIT_DELIVERY"]),
  key("audit.spool_mb", ["AUDIT_SPOOL_MB"]),
  key("audit.requests", ["AUDIT_REQUESTS"]),
  key("audit.deployment", ["AUDIT_DEPLOYMENT"]),
  key("audit.tenant", ["AUDIT_TENANT"]),
  key("audit.redact_fields", ["AUDIT_REDACT_FIELDS"]),
  key("audit.http.endpoint", ["AUDIT_HTTP_ENDPOINT"]),
  key("audit.http.api_key", ["AUDIT_HTTP_API_KEY"], null, true),
  key("audit.http.format", ["AUDIT_HTTP_FORMAT"]),
  key("audit.otlp.endpoint", ["AUDIT_OTLP_ENDPOINT"]),
  key("audit.otlp.api_key", ["AUDIT_OTLP_API_KEY"], null, true),
  key("audit.syslog.endpoint", ["AUDIT_SYSLOG_ENDPOINT"]),
  key("audit.syslog.ca", ["AUDIT_SYSLOG_CA"]),
  key("push.base_url", ["OC_PUSH_BASE_URL"]),
  key("push.web.subject", ["OC_PUSH_WEB_SUBJECT"]),
  key("push.web.services", ["OC_PUSH_WEB_SERVICES"]),
  key("telemetry.disabled", ["OTEL_SDK_DISABLED"]),
  key("telemetry.endpoint", ["OTEL_EXPORTER_OTLP_ENDPOINT"]),
  key("telemetry.traces_endpoint", ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]),
  key("telemetry.metrics_endpoint", ["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"]),
  key("telemetry.headers", ["OTEL_EXPORTER_OTLP_HEADERS"], null, true),
  key("telemetry.protocol", ["OTEL_EXPORTER_OTLP_PROTOCOL"]),
  key("telemetry.traces", ["OTEL_TRACES_EXPORTER"]),
  key("telemetry.metrics", ["OTEL_METRICS_EXPORTER"]),
  key("telemetry.sampler", ["OTEL_TRACES_SAMPLER"]),
  key("telemetry.sampler_arg", ["OTEL_TRACES_SAMPLER_ARG"]),
  key("telemetry.service_name", ["OTEL_SERVICE_NAME"]),
  key("telemetry.resource_attributes", ["OTEL_RESOURCE_ATTRIBUTES"]),
  key("telemetry.metric_interval_ms", ["OTEL_METRIC_EXPORT_INTERVAL"]),
  key("log.level", ["OC_LOG_LEVEL"]),
  key("core_files", ["OC_CORE_FILES"]),
];

/** The configuration is wrong: names the key, where it came from, what was got and what to do. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** What `serve` opens where nothing is configured and nothing was added before. */
export const DEMO: ConnectionInput = { id: "demo", protocol: "demo" };
