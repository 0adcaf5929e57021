import * as z from "zod";
import { allowedTargets, targetRule } from "../desktop/connections/target-rules.ts";
import { TLS_TRUST } from "../desktop/connections/trust-policy.ts";
import { REVERSE_LISTEN } from "../desktop/links/streams/reverse-stream.ts";
import { list, toggle } from "./config-values.ts";

const targetRules = list
  .default([])
  .refine(
    (entries) => entries.every((entry) => targetRule(entry) !== null),
    "expected targets such as 10.0.0.0/8:5900, [fd00::]/8, *:5900-5999, rdp://10.0.0.0/8:3389 or unix:/run/vnc",
  );

/** Where desktops may be, and how they are believed. */
export const targetsSchema = z
  .strictObject({
    allow: list
      .default([])
      .describe(
        "Where agent tokens may add desktops unasked: 10.0.0.0/8:5900, [fd00::]/8:5900-5999, separated by commas. Elsewhere a human is asked.",
      )
      .refine(
        (entries) => entries.every((entry) => allowedTargets(entry) !== null),
        "expected networks such as 10.0.0.0/8:5900 or [fd00::]/8:5900-5999",
      ),
    only: targetRules.describe(
      "The only places that any connection may lead to, whoever adds it; empty: everywhere. Networks with ports as in targets.allow, * for every address, a protocol before it (rdp://10.0.0.0/8:3389), unix:/run/vnc for sockets at or below that path; separated by commas. An address is judged after its name was resolved, and it is the one that is connected to.",
    ),
    deny: targetRules.describe(
      "Places that no connection leads to, whoever adds it, though targets.only has them; written as there. Link-local addresses, those of clouds' metadata, and our own ports are always refused.",
    ),
    tls_trust: z
      .enum(TLS_TRUST)
      .default("tofu")
      .describe(
        "Whose certificates and keys are believed of VNC and KasmVNC servers and RDP hosts: ca (authorities of this machine), tofu (these, or the one seen first, kept in known-targets.json), insecure (any).",
      ),
    require_nla: toggle
      .default(false)
      .describe("RDP hosts must check the password before a session begins (NLA): others are refused."),
    reverse_listen: z
      .enum(REVERSE_LISTEN)
      .default("loopback")
      .describe(
        "Where connections with the transport reverse may listen for VNC servers that connect by themselves: loopback, or any address of this machine.",
      ),
  })
  .prefault({});
