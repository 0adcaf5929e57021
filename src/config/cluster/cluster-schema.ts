import * as z from "zod";
import { list } from "../config-values.ts";

const word = z.string().regex(/^[A-Za-z0-9._-]{1,60}$/, "expected 1 to 60 letters, digits, ., _ and -");
const file = z.string().min(1).optional();

/** A fleet: several servers that share desktops by an etcd. Without endpoints nothing of it is there. */
export const clusterSchema = z
  .strictObject({
    endpoints: list
      .pipe(
        z.array(
          z
            .url({ protocol: /^https$/, error: "expected a URL such as https://etcd.example:2379" })
            .refine((url) => /^\/?$/.test(new URL(url).pathname), "expected a URL without a path"),
        ),
      )
      .default([])
      .describe(
        "https://HOST:PORT of each server of the etcd by which nodes share desktops, separated by commas; without them this server is alone.",
      ),
    ca: file.describe("PEM file of the authorities that etcd's certificates are checked against."),
    cert: file.describe("PEM file of this node's certificate for etcd, with cluster.cert_key."),
    cert_key: file.describe("PEM file of its private key."),
    login: z.string().min(1).max(200).optional().describe("User of etcd, with cluster.password."),
    password: z.string().min(1).max(1000).optional().describe("The user's password."),
    key: z
      .string()
      .min(32)
      .max(4096)
      .optional()
      .describe(
        "Seals the connections that nodes share, with their passwords: 32 random characters or more, the same on every node.",
      ),
    node: word
      .optional()
      .describe("Name of this node, another one for each. Without it: the name of the machine."),
    address: z
      .url({ protocol: /^https?$/, error: "expected a URL such as https://node-1.example:3000" })
      .transform((url) => url.replace(/\/+$/, ""))
      .optional()
      .describe(
        "Where people, agents and other nodes reach this node, told to who asks another node for its desktops. Without it: the address it listens on.",
      ),
    calls: z
      .string()
      .regex(/^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\]):\d{1,5}$/, "expected HOST:PORT such as 10.0.0.4:3443")
      .refine(
        (place) => Number(place.slice(place.lastIndexOf(":") + 1)) < 65_536,
        "expected a port up to 65535",
      )
      .optional()
      .describe(
        "HOST:PORT of this machine where other nodes call this one for its desktops, by TLS with certificates on both sides; port 0: any that is free. Without it no node answers for the desktops of this one, nor this one for theirs.",
      ),
    calls_ca: file.describe(
      "PEM file of the authorities that certificates of nodes are checked against. Without it: that of cluster.ca.",
    ),
    calls_cert: file.describe(
      "PEM file of this node's certificate for calls, both of a server and of a client, whose CN or one of whose DNS names is cluster.node; with cluster.calls_cert_key. Without it: cluster.cert.",
    ),
    calls_cert_key: file.describe("PEM file of its private key."),
    zones: list
      .pipe(z.array(word).min(1).max(64))
      .default(["default"])
      .describe(
        "Networks whose targets this node reaches, separated by commas. A desktop is of the first zone of the node that it was added on.",
      ),
    capacity: z.coerce
      .number()
      .int()
      .min(0)
      .max(200)
      .default(100)
      .describe("Desktops that this node takes at most."),
  })
  .prefault({})
  .superRefine((cluster, context) => {
    const fault = (path: string, error: string): void =>
      context.addIssue({ code: "custom", path: [path], message: error });
    if ((cluster.cert === undefined) !== (cluster.cert_key === undefined)) {
      fault("cert", "expected cert and cert_key together");
    }
    if ((cluster.login === undefined) !== (cluster.password === undefined)) {
      fault("login", "expected login and password together");
    }
    if ((cluster.calls_cert === undefined) !== (cluster.calls_cert_key === undefined)) {
      fault("calls_cert", "expected calls_cert and calls_cert_key together");
    }
    if (cluster.calls !== undefined && (cluster.calls_cert ?? cluster.cert) === undefined) {
      fault("calls_cert", "expected one, or cluster.cert, as calls is given");
    }
    if (cluster.endpoints.length === 0) return;
    for (const key of ["ca", "key"] as const) {
      if (cluster[key] === undefined) fault(key, "expected one, as endpoints are given");
    }
  });
