import type { AuditPageInfo } from "../../api/audit-api.ts";
import type { SecretBody, SecretDetails } from "../../api/secrets-api.ts";
import type { NewTicket, TicketBody } from "../../api/tickets-api.ts";
import type { NewToken, TokenBody, TokenDetails } from "../../api/tokens-api.ts";
import { desktopPath, request } from "../shell/api-client.ts";

function secretPath(name: string): string {
  return `/api/v1/secrets/${encodeURIComponent(name)}`;
}

/** What these pages alone ask of the server, so that no other loads it. */
export const adminApi = {
  async tokens(): Promise<readonly TokenDetails[]> {
    return (await request("GET", "/api/v1/tokens")).json();
  },
  async makeToken(body: TokenBody): Promise<NewToken> {
    return (await request("POST", "/api/v1/tokens", body)).json();
  },
  async revokeToken(id: string): Promise<void> {
    await request("DELETE", `/api/v1/tokens/${encodeURIComponent(id)}`);
  },
  async invite(desktopId: string, body: TicketBody): Promise<NewTicket> {
    return (await request("POST", desktopPath(desktopId, "/tickets"), body)).json();
  },
  async secrets(): Promise<readonly SecretDetails[]> {
    return (await request("GET", "/api/v1/secrets")).json();
  },
  async setSecret(name: string, body: SecretBody): Promise<void> {
    await request("PUT", secretPath(name), body);
  },
  async removeSecret(name: string): Promise<void> {
    await request("DELETE", secretPath(name));
  },
  /** `query`: the filters, as the address of the page has them. */
  async auditPage(query: URLSearchParams, before: number | null): Promise<AuditPageInfo> {
    const asked = new URLSearchParams(query);
    if (before !== null) asked.set("before", String(before));
    return (await request("GET", `/api/v1/audit?${asked}`)).json();
  },
};
