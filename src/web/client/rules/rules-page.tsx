import { t } from "../language/language.ts";
import "../styles/rules.css";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { RulesInfo } from "../../api/api.ts";
import { ConfirmDialog } from "../controls/confirm-dialog.tsx";
import { CopyButton } from "../controls/copy-button.tsx";
import { Icon } from "../controls/icon.tsx";
import { api } from "../shell/api-client.ts";
import { FailureCard } from "../shell/failure-card.tsx";
import { MODE_WORDS } from "../shell/labels.ts";
import { type ErrorWords, errorWords, showError, showNotice } from "../shell/notices.ts";
import { viewerPath } from "../shell/route.ts";
import { keepPage, leave, leaving } from "../shell/router.ts";
import { desktopOf, may } from "../shell/session.ts";
import { Shell } from "../shell/shell.tsx";
import { RuleAreas } from "./rule-areas.tsx";
import { RuleExample } from "./rule-example.tsx";
import { RuleWords } from "./rule-words.tsx";
import { areEqual, configOf, type Rules } from "./rules-draft.ts";

/** The rules of one desktop's custom mode: read, changed, tried, saved. */
export function RulesPage({ desktopId }: { readonly desktopId: string }) {
  const saved = useSignal<RulesInfo | null>(null);
  const draft = useSignal<Rules | null>(null);
  const failure = useSignal<ErrorWords | null>(null);
  const isSaving = useSignal(false);
  const chosen = useSignal<number | null>(null);
  const desktop = desktopOf(desktopId);
  const take = (info: RulesInfo): void => {
    saved.value = info;
    draft.value = info.rules;
    failure.value = null;
  };
  const load = (): void => {
    api.rules(desktopId).then(take, (error: unknown) => {
      failure.value = errorWords(error);
    });
  };
  useEffect(load, [desktopId]);
  const rules = draft.value;
  const isChanged = rules !== null && saved.value !== null && !areEqual(rules, saved.value.rules);
  const isInForce = desktop === undefined ? (saved.value?.is_in_force ?? false) : desktop.mode === "custom";
  const mayChange = may("admin");
  useEffect(() => (isChanged ? keepPage() : undefined), [isChanged]);
  const change = (next: Rules): void => {
    draft.value = next;
  };
  const save = (): void => {
    if (rules === null) return;
    isSaving.value = true;
    api
      .setRules(desktopId, rules)
      .then(
        (info) => {
          take(info);
          showNotice(t`The rules are in force`);
        },
        (error: unknown) => showError(t`Could not save the rules`, error),
      )
      .finally(() => {
        isSaving.value = false;
      });
  };
  return (
    <Shell>
      <div class="page page-wide rules-page">
        <header class="rules-head">
          <a
            class="icon-button"
            href={viewerPath(desktopId)}
            aria-label={t`Back to the desktop`}
            title={t`Back to the desktop`}
          >
            <Icon shape="arrowLeft" />
          </a>
          <h1>
            {t`Rules for agents`}
            {desktop === undefined ? "" : t` on ${desktop.name}`}
          </h1>
        </header>
        {rules !== null && (
          <p class={`rules-state tone-${isInForce && !isChanged ? "good" : "warn"}`} role="status">
            <span class="dot" aria-hidden="true" />
            {stateWords(isInForce, isChanged, desktop?.mode ?? null)}
          </p>
        )}
        {failure.value !== null && (
          <FailureCard title={t`The rules cannot be shown`} words={failure.value} onRetry={load} />
        )}
        {rules !== null && (
          <>
            <RuleWords rules={rules} isDisabled={!mayChange} onChange={change} />
            <RuleAreas
              rules={rules}
              desktopId={desktopId}
              size={{ width: desktop?.width ?? 0, height: desktop?.height ?? 0 }}
              isDisabled={!mayChange}
              chosen={chosen.value}
              onChoose={(index) => {
                chosen.value = index;
              }}
              onChange={change}
            />
            <RuleExample rules={rules} desktopId={desktopId} />
            <footer class="rules-foot">
              <button
                type="button"
                class="button button-primary"
                disabled={!mayChange || isSaving.value || (isInForce && !isChanged)}
                onClick={save}
              >
                {isInForce ? t`Save` : t`Save and use them`}
              </button>
              <button
                type="button"
                class="button"
                disabled={!isChanged || isSaving.value}
                onClick={() => {
                  draft.value = saved.value?.rules ?? null;
                }}
              >
                {t`Discard changes`}
              </button>
              <CopyButton text={configOf(rules)} label={t`Copy for the configuration file`} />
              <p class="muted">
                {mayChange
                  ? t`Saved rules hold until the mode is changed, after restarts too. Every desktop begins with those of the configuration file.`
                  : t`Only an administrator changes the rules. You can try them.`}
              </p>
            </footer>
          </>
        )}
      </div>
      {leaving.value !== null && (
        <ConfirmDialog
          title={t`Leave without saving?`}
          action={t`Leave and lose the changes`}
          onConfirm={leave}
          onClose={() => {
            leaving.value = null;
          }}
        >
          <p>{t`The rules were changed here and not saved.`}</p>
        </ConfirmDialog>
      )}
    </Shell>
  );
}

function stateWords(isInForce: boolean, isChanged: boolean, mode: keyof typeof MODE_WORDS | null): string {
  if (isInForce) return isChanged ? t`In force, but your changes are not saved` : t`In force`;
  return mode === null
    ? t`Not in force: the desktop is in another mode. Saving puts it into custom mode.`
    : t`Not in force: the desktop is in ${MODE_WORDS[mode].name} mode. Saving puts it into custom mode.`;
}
