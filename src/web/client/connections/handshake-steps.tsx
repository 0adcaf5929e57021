import type { TestReportInfo } from "../../api/api.ts";
import { CopyButton } from "../controls/copy-button.tsx";
import { Icon } from "../controls/icon.tsx";
import { sentence } from "../shell/labels.ts";

/** How far a test connection came, step by step. */
export function HandshakeSteps({ report }: { readonly report: TestReportInfo }) {
  return (
    <div class={`result ${report.success ? "result-good" : "result-bad"}`}>
      {/* The message of a failure is its last step's. */}
      <p>{report.success ? sentence(report.message) : <strong>The test failed</strong>}</p>
      <ol class="steps">
        {report.steps.map((step) => (
          <li key={step.name} class={step.ok ? "step-good" : "step-bad"}>
            <Icon shape={step.ok ? "check" : "cross"} />
            <span>
              <span class="visually-hidden">{step.ok ? "Done: " : "Failed: "}</span>
              {step.name}
              {step.detail !== "" && <span class="muted"> {step.detail}</span>}
            </span>
          </li>
        ))}
      </ol>
      {!report.success && (
        <p>
          <CopyButton text={detailsOf(report)} label="Copy details" />
        </p>
      )}
    </div>
  );
}

function detailsOf({ message, steps }: TestReportInfo): string {
  const lines = steps.map(({ name, ok, detail }) => `${ok ? "done" : "failed"} ${name} ${detail}`.trim());
  return [message, ...lines].join("\n");
}
