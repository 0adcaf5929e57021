import type { TokenDetails } from "../../api/tokens-api.ts";
import { t } from "../language/language.ts";
import { serverNowMs } from "../shell/api-client.ts";
import { agoWords, dayWords, desktopNames, ROLE_WORDS, untilWords } from "./admin-words.ts";

export interface TokenRowProps {
  readonly token: TokenDetails;
  /** Who looks is signed in by it. */
  readonly isMine: boolean;
  readonly onRevoke: () => void;
}

export function isExpired({ expires_at }: TokenDetails): boolean {
  return expires_at !== null && Date.parse(expires_at) <= serverNowMs();
}

/** One token of the list. */
export function TokenRow({ token, isMine, onRevoke }: TokenRowProps) {
  const { name, role, desktops, toolsets, owner, expires_at } = token;
  const nowMs = serverNowMs();
  const isOver = isExpired(token);
  return (
    <li class="thing">
      <div class="thing-head">
        <h2>{name}</h2>
        <span class="pill" title={ROLE_WORDS[role].meaning}>
          {ROLE_WORDS[role].name}
        </span>
        {isMine && <span class="pill pill-accent">{t`You`}</span>}
        {isOver && <span class="pill pill-bad">{t`Expired`}</span>}
      </div>
      <dl class="thing-facts">
        <Fact name={t`Desktops`} value={desktops === null ? t`All` : desktopNames(desktops)} />
        {toolsets !== null && <Fact name={t`Tools`} value={toolsets.join(", ")} />}
        {owner !== null && <Fact name={t`Owner`} value={owner} />}
        {token.may_elicit && <Fact name={t`Approvals`} value={t`Also by the person at its own client`} />}
        <Fact name={t`Last used`} value={agoWords(token.last_used_at, nowMs)} />
        <Fact
          name={isOver ? t`Expired` : t`Expires`}
          value={
            expires_at === null ? t`never` : isOver ? dayWords(expires_at) : untilWords(expires_at, nowMs)
          }
        />
        <Fact name={t`Made`} value={dayWords(token.created_at)} />
      </dl>
      <div class="thing-tools">
        <button
          type="button"
          class="button"
          aria-label={isOver ? t`Remove ${name}` : t`Revoke ${name}`}
          onClick={onRevoke}
        >
          {isOver ? t`Remove` : t`Revoke`}
        </button>
      </div>
    </li>
  );
}

/** One word and its value, in a list of facts. */
export function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
