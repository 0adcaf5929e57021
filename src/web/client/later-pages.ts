import { AccessPage } from "./admin/access-page.tsx";
import { AuditPage } from "./admin/audit-page.tsx";
import { FleetPage } from "./admin/fleet-page.tsx";
import { SecretsPage } from "./admin/secrets-page.tsx";
import { AnswerPage } from "./approvals/answer-page.tsx";
import { ApprovalsPage } from "./approvals/approvals-page.tsx";
import { DesktopsPage } from "./connections/desktops-page.tsx";
import { SetupPage } from "./setup/setup-page.tsx";

export { RulesPage } from "./rules/rules-page.tsx";

/** The pages whose code comes as one file, with the first visit to any of them. */
export const LATER_PAGES = {
  desktops: DesktopsPage,
  approvals: ApprovalsPage,
  setup: SetupPage,
  access: AccessPage,
  secrets: SecretsPage,
  audit: AuditPage,
  fleet: FleetPage,
  answer: AnswerPage,
};

export type LaterPage = keyof typeof LATER_PAGES;
