import * as z from "zod";
import { PUSH_LINKS, PUSH_SUBJECTS } from "../push/notice.ts";
import { list } from "./config-values.ts";

/** Of Chrome and Edge on Android, Firefox, Safari, and Edge on Windows (2026). */
const PUSH_SERVICES = [
  "fcm.googleapis.com",
  "*.push.services.mozilla.com",
  "*.push.apple.com",
  "*.notify.windows.com",
] as const;

const name = z
  .string()
  .regex(/^[\w.-]{1,64}$/, 'expected 1 to 64 letters, digits, ".", "_" or "-"')
  .describe("What it is called in the log and the audit log, where its address never stands.");

const wish = {
  subjects: z
    .array(z.enum(PUSH_SUBJECTS))
    .min(1)
    .default([...PUSH_SUBJECTS])
    .describe("approval (questions before an action), request (agents that need a person). Default: both."),
  desktops: z
    .array(z.string().min(1).max(200))
    .max(200)
    .exactOptional()
    .describe("Ids; default: all, and questions about no desktop yet."),
  link: z
    .enum(PUSH_LINKS)
    .default("page")
    .describe(
      "none, page (the web app, which asks who it is), ticket (of approvals: the question alone, answered once by whoever has the link; else as page). Needs push.base_url.",
    ),
} as const;

/** Who is told that agents ask for a person. */
export const pushSchema = z
  .strictObject({
    base_url: z
      .url({ protocol: /^https?$/, error: "expected a URL such as https://desks.example.com" })
      .transform((url) => url.replace(/\/+$/, ""))
      .optional()
      .describe("Where people reach the web app, for links in pushes; without it they have none."),
    webhooks: z
      .array(
        z.strictObject({
          name,
          url: z
            .url({ protocol: /^https?$/, error: "expected a URL such as https://ntfy.example.com/topic" })
            .describe(
              "Where a POST is sent. Link-local addresses, targets.deny and our own ports are refused.",
            ),
          format: z
            .enum(["json", "ntfy"])
            .default("json")
            .describe(
              "The body: our own words, or those of ntfy's servers, with the topic as the end of the path.",
            ),
          key: z
            .string()
            .min(16)
            .max(1000)
            .exactOptional()
            .describe("Secret that the body is signed with (HMAC-SHA256, x-overlay-signature)."),
          token: z.string().min(1).max(1000).exactOptional().describe("Sent as a Bearer token."),
          ...wish,
        }),
      )
      .max(20)
      .default([])
      .describe(
        "Where to send a POST, each with name, url, format, key, token, subjects, desktops and link.",
      ),
    commands: z
      .array(
        z.strictObject({
          name,
          argv: z
            .array(z.string().max(1000))
            .min(1)
            .max(50)
            .describe(
              "A program and its words, run without a shell; {title}, {message} and {url} in a word stand for those, and JSON comes on standard input.",
            ),
          ...wish,
        }),
      )
      .max(20)
      .default([])
      .describe("What to run, each with name, argv, subjects, desktops and link."),
    web: z
      .strictObject({
        subject: z
          .string()
          .regex(/^(mailto:\S+@\S+|https:\/\/\S+)$/, "expected mailto:ADDRESS or a https: URL")
          .optional()
          .describe(
            "How push services reach you, mailto:ADDRESS or a https: URL. With it people may be told in their browsers (Web Push).",
          ),
        link: z
          .enum(PUSH_LINKS)
          .default("page")
          .describe("As of webhooks. A ticket answers as the person of the browser."),
        services: list
          .default([...PUSH_SERVICES])
          .describe(
            "Hosts of browsers' push services, *. before one for all below it, separated by commas; nothing is sent elsewhere.",
          ),
      })
      .prefault({}),
  })
  .prefault({})
  .refine(
    ({ webhooks, commands }) => {
      const names = [...webhooks, ...commands].map((one) => one.name);
      return new Set(names).size === names.length;
    },
    { error: "expected each name once" },
  )
  .refine(
    ({ base_url, webhooks, commands }) =>
      base_url !== undefined || [...webhooks, ...commands].every(({ link }) => link !== "ticket"),
    { error: "expected base_url, where links lead, for what has link: ticket", path: ["base_url"] },
  );
