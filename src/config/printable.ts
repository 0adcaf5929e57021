import { PROVIDERS } from "../analysis/analysis.ts";
import { isSecret, SECRET_FIELDS } from "../desktop/connections/connection-fields.ts";
import type { Config } from "./config-schema.ts";

/** The configuration as `config print` shows it: secrets are named, never shown. */
export function printable(config: Config): Record<string, unknown> {
  const hide = (secret: string | null | undefined): string | null =>
    secret === undefined || secret === null ? null : "(set)";
  const { isStdio: _, ...rest } = config;
  return {
    ...rest,
    auth: { token: hide(config.auth.token) },
    oidc: { ...config.oidc, client_secret: hide(config.oidc.client_secret) },
    recording: {
      ...config.recording,
      archive: {
        ...config.recording.archive,
        access_key: hide(config.recording.archive.access_key),
        secret_key: hide(config.recording.archive.secret_key),
      },
    },
    audit: {
      ...config.audit,
      key: hide(config.audit.key),
      http: { ...config.audit.http, api_key: hide(config.audit.http.api_key) },
      otlp: { ...config.audit.otlp, api_key: hide(config.audit.otlp.api_key) },
    },
    telemetry: {
      ...config.telemetry,
      headers: config.telemetry.headers === undefined ? null : "(set)",
    },
    push: {
      ...config.push,
      webhooks: config.push.webhooks.map(({ key, token, ...webhook }) => ({
        ...webhook,
        // The end of ntfy's addresses is all that keeps others from reading them.
        url: "(set)",
        key: hide(key),
        token: hide(token),
      })),
    },
    analysis: {
      ...config.analysis,
      ...Object.fromEntries(
        PROVIDERS.map((name) => [
          name,
          { ...config.analysis[name], api_key: hide(config.analysis[name].api_key) },
        ]),
      ),
    },
    sealing: { ...config.sealing, key: hide(config.sealing.key) },
    vnc: { ...config.vnc, password: hide(config.vnc.password) },
    connections: config.connections.map((connection) => ({
      ...connection,
      password: null,
      ...Object.fromEntries(
        SECRET_FIELDS.filter((name) => isSecret(connection, name)).map((name) => [name, "(set)"]),
      ),
    })),
  };
}
