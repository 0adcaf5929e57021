import * as z from "zod";
import { LONGEST_REASON, REQUEST_KINDS } from "../../desktop/control/requests/human-request.ts";
import { requestUri } from "../resources/requests.ts";
import { connectionIdField, LISTED_AS } from "../tool/fields.ts";
import { defineTool } from "../tool/tool.ts";

export const requestHuman = defineTool({
  name: "request_human",
  title: "Ask a human",
  description:
    "Asks a person to do what you cannot, such as a log-in. Answers at once; subscribe_events tells the end (request_ended) " +
    "with what they wrote.",
  // It puts something before people, as an overlay does, and acts on nothing.
  effect: "overlay",
  rate: "default",
  input: z.strictObject({
    reason: z
      .string()
      .min(1)
      .max(LONGEST_REASON)
      .meta(LISTED_AS.bare)
      .describe("What the person is to do, and why."),
    kind: z.enum(REQUEST_KINDS),
    private: z
      .boolean()
      .optional()
      .meta(LISTED_AS.bare)
      .describe("Proposes that nobody else sees the desktop meanwhile: the person decides. Default false."),
    connection_id: connectionIdField,
  }),
  output: z.object({
    request_id: z.string().describe("requests://ID, and request_id of the event request_ended."),
    expires_at: z.string().describe("When it ends by itself if nobody is at it."),
  }),
  async handle(args, context) {
    const desktop = context.desktop(args.connection_id);
    const { id, expiresAt } = desktop.requests.ask(
      { kind: args.kind, reason: args.reason, wantsPrivate: args.private ?? false },
      context.actor,
    );
    return {
      output: { request_id: id, expires_at: expiresAt },
      text:
        `Asked a person on ${desktop.name}. Request ${id} expires at ${expiresAt}. When it is over, request_ended of ` +
        `subscribe_events and poll_events says so; ${requestUri(id)} has its state.`,
    };
  },
});
