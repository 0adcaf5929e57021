import type { TestReportInfo } from "../../api.ts";
import { sentence } from "../words.ts";
import { Icon } from "./icon.tsx";

/** How far a test connection came, step by step. */
export function HandshakeSteps({ report }: { readonly report: TestReportInfo }) {
  return (
    <div class={`result ${report.success ? "result-good" : "result-bad"}`}>
      <p>{sentence(report.message)}</p>
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
    </div>
  );
}
