import type { UnchainedEvent } from "./audit-event.ts";

/** Stands for a text that an event of the model must have. */
const REDACTED = "[redacted]";

/** Paths that an operator may have left out, and the event without them. The id of the actor stays: it is what an export asks for. */
const WITHOUT = {
  "actor.ip": (event) => ({ ...event, actor: event.actor && { ...event.actor, ip: null } }),
  "actor.name": (event) => ({ ...event, actor: event.actor && { ...event.actor, name: REDACTED } }),
  "resource.id": (event) => ({ ...event, resource: event.resource && { ...event.resource, id: REDACTED } }),
  "resource.owner": (event) => ({ ...event, resource: withoutOwner(event.resource) }),
  "request.path": (event) => ({ ...event, request: event.request && { ...event.request, path: REDACTED } }),
  intent: (event) => ({ ...event, intent: null }),
  counts: (event) => ({ ...event, counts: null }),
  // In no event at all, whatever is configured.
  "request.query": (event) => event,
  "request.headers.authorization": (event) => event,
  "mcp.tool_result.content": (event) => event,
} satisfies Readonly<Record<string, (event: UnchainedEvent) => UnchainedEvent>>;

export type RedactField = keyof typeof WITHOUT;
export const REDACT_FIELDS = Object.keys(WITHOUT) as [RedactField, ...RedactField[]];

/** Makes of an event one without what these paths name, still of the model. */
export function redactor(fields: readonly RedactField[]): (event: UnchainedEvent) => UnchainedEvent {
  return (event) => fields.reduce<UnchainedEvent>((rest, field) => WITHOUT[field](rest), event);
}

function withoutOwner(resource: UnchainedEvent["resource"]): UnchainedEvent["resource"] {
  return resource && { kind: resource.kind, id: resource.id };
}
