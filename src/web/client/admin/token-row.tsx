import type { TokenDetails } from "../../api/tokens-api.ts";
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
        {isMine && <span class="pill pill-accent">You</span>}
        {isOver && <span class="pill pill-bad">Expired</span>}
      </div>
      <dl class="thing-facts">
        <Fact name="Desktops" value={desktops === null ? "All" : desktopNames(desktops)} />
        {toolsets !== null && <Fact name="Tools" value={toolsets.join(", ")} />}
        {owner !== null && <Fact name="Owner" value={owner} />}
        {token.may_elicit && <Fact name="Approvals" value="Also by the person at its own client" />}
        <Fact name="Last used" value={agoWords(token.last_used_at, nowMs)} />
        <Fact
          name={isOver ? "Expired" : "Expires"}
          value={
            expires_at === null ? "never" : isOver ? dayWords(expires_at) : untilWords(expires_at, nowMs)
          }
        />
        <Fact name="Made" value={dayWords(token.created_at)} />
      </dl>
      <div class="thing-tools">
        <button
          type="button"
          class="button"
          aria-label={`${isOver ? "Remove" : "Revoke"} ${name}`}
          onClick={onRevoke}
        >
          {isOver ? "Remove" : "Revoke"}
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
