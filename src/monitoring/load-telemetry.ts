import {
  type Telemetry,
  type TelemetryOptions,
  type TelemetryPorts,
  telemetryAddresses,
} from "./telemetry.ts";

/** null, and no package of OpenTelemetry is loaded, where nothing is sent. */
export async function openTelemetry(
  options: TelemetryOptions,
  ports: TelemetryPorts,
): Promise<Telemetry | null> {
  const addresses = telemetryAddresses(options);
  if (addresses.traces === null && addresses.metrics === null) return null;
  const { OtlpTelemetry } = await import("./otlp/otlp-telemetry.ts");
  return new OtlpTelemetry(options, addresses, ports);
}
