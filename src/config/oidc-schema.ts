import * as z from "zod";
import { LONGEST_DESKTOP_ID, MOST_DESKTOPS, ROLES } from "../auth/principal.ts";
import { list } from "./config-values.ts";

/** "a=b,c=d" */
function pairsOf(text: string): readonly (readonly [string, string])[] {
  return text
    .split(",")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const at = part.lastIndexOf("=");
      return [part.slice(0, Math.max(0, at)).trim(), part.slice(at + 1).trim()];
    });
}

const role = z.enum(ROLES);
const roles = z.union(
  [
    z.record(z.string().min(1).max(512), role),
    z
      .string()
      .transform((text) => Object.fromEntries(pairsOf(text)))
      .pipe(z.record(z.string().min(1).max(512), role)),
  ],
  `expected groups and their roles (${ROLES.join(", ")}), such as desktop-admins=admin,helpdesk=operator`,
);

const desktopIds = z.array(z.string().min(1).max(LONGEST_DESKTOP_ID)).min(1).max(MOST_DESKTOPS);
const desktops = z.union(
  [
    z.record(z.string().min(1).max(512), desktopIds),
    z
      .string()
      .transform((text) =>
        Object.fromEntries(
          pairsOf(text).map(([group, ids]) => [group, ids.split("+").map((id) => id.trim())]),
        ),
      )
      .pipe(z.record(z.string().min(1).max(512), desktopIds)),
  ],
  "expected groups and ids of desktops, such as helpdesk=build-vm+test-vm,staff=*",
);

/** People who sign in at an OpenID provider. */
export const oidcSchema = z
  .strictObject({
    issuer: z
      .url({ protocol: /^https?$/, error: "expected a URL such as https://login.example.com/realms/main" })
      .optional()
      .describe("OpenID provider that people may sign in at, by its issuer URL; off without it."),
    client_id: z.string().min(1).max(512).optional().describe("What this appliance is called there."),
    client_secret: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe("Its secret there; without one it is a public client. PKCE is used either way."),
    name: z
      .string()
      .min(1)
      .max(60)
      .default("your organisation")
      .describe("What the sign-in button calls it."),
    scopes: list
      .default(["openid", "profile", "email"])
      .refine((scopes) => scopes.includes("openid"), "expected openid among them")
      .describe(
        "What is asked for, separated by commas; offline_access where the provider wants that for refreshing.",
      ),
    role_claim: z
      .string()
      .min(1)
      .max(200)
      .default("groups")
      .describe("Claim that says who may what: a name, or a path such as realm_access.roles."),
    roles: roles
      .default({})
      .describe(
        "Which of its values gives which role (admin, operator, approver, viewer; agent for MCP alone): a map, or helpdesk=operator,staff=viewer. The strongest counts, nobody without one gets in. Empty: the values are roles themselves.",
      ),
    desktops: desktops
      .default({})
      .describe(
        "Which of its values gives which desktops: a map of lists of ids, or helpdesk=build-vm+test-vm,staff=*; * is all of them. All values together count, who has none of them reaches no desktop, administrators reach all. Empty: everybody reaches all.",
      ),
    mcp_resource: z
      .url({ protocol: /^https?$/, error: "expected a URL such as https://desk.example.com/mcp" })
      .refine((url) => !url.includes("#"), "expected a URL without a fragment")
      .optional()
      .describe(
        "Address of MCP as clients are given it: access tokens that the provider made for it open MCP, so that clients sign in by themselves. Off without it.",
      ),
    mcp_scopes: list
      .default([])
      .describe("Scopes that such a token has to have, and that clients are told to ask for."),
    session_minutes: z.coerce
      .number()
      .min(1)
      .max(720)
      .default(720)
      .describe("A session made by it ends so long after signing in, whatever happens."),
    check_seconds: z.coerce
      .number()
      .min(5)
      .max(3600)
      .default(60)
      .describe("The provider is asked so often whether a session there still stands."),
    clock_skew_s: z.coerce
      .number()
      .int()
      .min(0)
      .max(300)
      .default(30)
      .describe("Its clock and ours may differ by so many seconds."),
  })
  .prefault({});
