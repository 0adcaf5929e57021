import type { Audit } from "../audit/audit.ts";
import { AccessTokens, type SharedSignOuts } from "../auth/oidc/access-tokens.ts";
import type { RoleRule } from "../auth/oidc/claimed-role.ts";
import { LogoutTokens } from "../auth/oidc/logout-tokens.ts";
import { type OidcPorts, OidcSignIn } from "../auth/oidc/oidc-sign-in.ts";
import { OpenidProvider } from "../auth/oidc/openid-provider.ts";
import { ProviderKeys } from "../auth/oidc/provider-keys.ts";
import { SignInTickets } from "../auth/oidc/sign-in-tickets.ts";
import type { IssuerPorts } from "../auth/oidc/signed-token.ts";
import type { SecretBox } from "../auth/secret-box.ts";
import type { Sessions } from "../auth/sessions.ts";
import type { Config } from "../config/config-schema.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import type { OpenFleet } from "./fleet/open-fleet.ts";

/** The provider of a configuration; null where none is. */
export function openidProviderOf({ oidc }: Pick<Config, "oidc">): OpenidProvider | null {
  const { issuer, client_id, client_secret, scopes, clock_skew_s } = oidc;
  if (issuer === undefined || client_id === undefined) return null;
  return new OpenidProvider({
    issuer,
    clientId: client_id,
    clientSecret: client_secret ?? null,
    scopes,
    clockSkewS: clock_skew_s,
  });
}

/** What access tokens open MCP; null where none does. `shared` null: this server is alone. */
export function openAccessTokens(
  config: Config,
  clock: Clock,
  shared: SharedSignOuts | null,
): AccessTokens | null {
  const provider = openidProviderOf(config);
  const { issuer, mcp_resource, mcp_scopes, clock_skew_s } = config.oidc;
  if (provider === null || issuer === undefined || mcp_resource === undefined) return null;
  return new AccessTokens(
    { resource: mcp_resource, issuer, scopes: mcp_scopes, clockSkewS: clock_skew_s, rule: ruleOf(config) },
    issuerPorts(provider, clock),
    shared,
  );
}

function ruleOf({ oidc: { role_claim, roles, desktops } }: Config): RoleRule {
  return { claim: role_claim, roles, desktops };
}

/** Asks the provider each time who it is and what it signs with. */
function issuerPorts(provider: OpenidProvider, clock: Clock): IssuerPorts {
  return {
    issuer: async () => (await provider.asIssuer()).issuer,
    keys: new ProviderKeys(async () => (await provider.asIssuer()).keysUrl, clock),
    clock,
  };
}

interface OidcRooms {
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly sealer: SecretBox;
  /** null: this server is alone. */
  readonly shared: Pick<OpenFleet, "sealer" | "signIns"> | null;
  /** See OidcPorts. */
  readonly signedOut: OidcPorts["signedOut"];
}

/** Signing in at the configured provider; null where none is. */
export function openOidc(
  config: Config,
  log: Logger,
  { sessions, clock, audit, signedOut, sealer, shared }: OidcRooms,
): OidcSignIn | null {
  const provider = openidProviderOf(config);
  const { issuer, client_id: clientId, clock_skew_s: clockSkewS } = config.oidc;
  if (provider === null || issuer === undefined || clientId === undefined) return null;
  const { name, session_minutes, check_seconds } = config.oidc;
  return new OidcSignIn(
    {
      ...{ name, issuer, clientId },
      rule: ruleOf(config),
      sessionMs: session_minutes * 60_000,
      checkMs: check_seconds * 1000,
    },
    {
      provider,
      sessions,
      clock,
      tickets: new SignInTickets(`${issuer} ${clientId}`, {
        ...{ clock, sealer: shared?.sealer ?? sealer, shared: shared?.signIns ?? null },
      }),
      logoutTokens: new LogoutTokens({ clientId, clockSkewS }, issuerPorts(provider, clock)),
      signedOut,
      ended: ({ id, name: person, role }, reason) => {
        audit.record({
          type: "auth.logout",
          severity: "notice",
          actor: { id, name: person, kind: "human", role },
          action: reason,
        });
      },
      unasked: (reason) => log.warn({ reason }, "Sign-in provider could not be asked about a session"),
    },
  );
}
