import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { openSealer, openSecrets, sealingKeyOf } from "../appliance/open-secrets.ts";
import { SecretBox } from "../auth/secret-box.ts";
import { readSecretText } from "../auth/secrets/secret-file.ts";
import {
  readRules,
  type SecretInfo,
  type SecretRules,
  type SecretStore,
} from "../auth/secrets/secret-store.ts";
import type { Config } from "../config/config-schema.ts";
import { list } from "../config/config-values.ts";
import { sealingSchema } from "../config/sealing-schema.ts";
import { systemClock } from "../platform/clock.ts";
import { safeText } from "../protocols/rfb/error.ts";
import { audited } from "./cli-audit.ts";
import { type Command, expectWords, task, UsageError, type Values } from "./command-line.ts";

/** `secret add`, `list`, `remove`, `seal` and `unseal`. */
export function secretCommand(words: readonly string[], values: Values, config: Config): Command {
  const [action, name = ""] = words;
  switch (action) {
    case "add": {
      // INVARIANT: no value on the command line, which stays in the shell's history and is in `ps` for everybody.
      expectWords("secret add NAME", words, 2);
      const seen = seenOf(values);
      const rules = rulesOf(values, seen);
      return task(async () => {
        const picture = await pictureOf(values["seen-picture"]);
        const all = picture === null ? rules : rulesOf(values, { ...seen, picture });
        return await addSecret(name, all, values, config);
      });
    }
    case "list":
      expectWords("secret list", words, 1);
      return task(async () => {
        const secrets = await (await openStore(config)).list();
        return secrets.length === 0 ? "no secrets\n" : secrets.map(lineOf).join("");
      });
    case "remove":
      expectWords("secret remove NAME", words, 2);
      return task(() =>
        audited(config, async (record) => {
          const store = await openStore(config);
          if (!(await store.remove(name)))
            throw new UsageError(`there is no secret ${name}: see secret list`);
          record({ type: "secret.removed", severity: "notice", resource: { kind: "secret", id: name } });
          return `${name}  removed\n`;
        }),
      );
    case "seal": {
      expectWords("secret seal", words, 1);
      const file = values["key-file"];
      if (file === undefined) {
        throw new UsageError("got no --key-file, expected the file that holds the new sealing key");
      }
      return task(async () => {
        await reseal(config, await readSealingKey(file));
        return "sealed by both keys: set the new one and restart, and the old one opens it no more\n";
      });
    }
    case "unseal":
      expectWords("secret unseal", words, 1);
      return task(async () => {
        await reseal(config, null);
        return "not sealed any more: remove sealing.key or sealing.command before the next start\n";
      });
    default:
      throw new UsageError(`got "secret ${action ?? ""}", expected secret add, list, remove, seal or unseal`);
  }
}

/** `next`: the key that secret.key is sealed by from now on, too; null: by none. */
function reseal(config: Config, next: string | null): Promise<string> {
  return audited(config, async (record) => {
    await SecretBox.reseal(config.data_dir, sealingKeyOf(config.sealing), next);
    record({
      type: "secret.changed",
      severity: "notice",
      resource: { kind: "secret_key", id: next === null ? "unsealed" : "sealed" },
    });
    return "";
  });
}

/** The same limits as the configuration's. Throws UsageError. */
async function readSealingKey(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new UsageError(`the file ${file} cannot be read: check that it exists and may be read`, { cause });
  });
  const key = text.replace(/\r?\n$/, "");
  if (sealingSchema.safeParse({ key }).success) return key;
  throw new UsageError(`the key in ${file} has ${key.length} characters, expected 32 to 4096`);
}

function addSecret(name: string, rules: SecretRules, values: Values, config: Config): Promise<string> {
  return audited(config, async (record) => {
    const store = await openStore(config);
    const kind = values.totp === true ? "totp" : "secret";
    const { isNew } = await store.set(name, { kind, text: await readValue(values.file), rules });
    record({
      type: isNew ? "secret.added" : "secret.changed",
      severity: "notice",
      resource: { kind: "secret", id: name },
    });
    const left = [
      ...(rules.desktops.length === 0 ? ["no desktop has it yet: say --desktops IDS"] : []),
      ...(rules.agents.length === 0 ? ["no agent has it yet: say --agents NAMES"] : []),
    ];
    return `${[`${name}  ${isNew ? "added" : "replaced"}`, ...left].join("\n")}\n`;
  });
}

function readValue(path: string | undefined): Promise<string> {
  if (path !== undefined) return readSecretText(`the file ${path}`, createReadStream(path));
  // What is typed at a terminal is shown there as it is typed.
  if (process.stdin.isTTY) {
    throw new UsageError("got a terminal as standard input, expected the value by a pipe, or --file FILE");
  }
  return readSecretText("standard input", process.stdin);
}

function rulesOf({ desktops, agents }: Values, seen: SecretRules["seen"] | null): SecretRules {
  return readRules({
    desktops: list.parse(desktops ?? []),
    agents: list.parse(agents ?? []),
    ...(seen === null || seen === undefined || (seen.text === undefined && seen.picture === undefined)
      ? {}
      : { seen }),
  });
}

/** Without the picture, whose file is read later. Throws UsageError. */
function seenOf(values: Values): NonNullable<SecretRules["seen"]> {
  const { seen: text } = values;
  const hasPicture = values["seen-picture"] !== undefined;
  const region = rectOf("--seen-in", values["seen-in"]);
  const field = rectOf("--seen-field", values["seen-field"]);
  if (text === undefined && !hasPicture && (region !== null || field !== null)) {
    const [option] = region === null ? ["--seen-field"] : ["--seen-in"];
    throw new UsageError(
      `${option} says where --seen TEXT or --seen-picture FILE must be seen: say that too`,
    );
  }
  return {
    ...(text === undefined ? {} : { text }),
    ...(region === null ? {} : { region }),
    ...(field === null ? {} : { field }),
  };
}

/** A PNG file in base64; null for none. Throws UsageError. */
async function pictureOf(path: string | undefined): Promise<string | null> {
  if (path === undefined) return null;
  const file = await readFile(path).catch((cause: unknown) => {
    throw new UsageError(`the file ${path} cannot be read: check that it exists and may be read`, { cause });
  });
  return file.toString("base64");
}

/** Throws UsageError. */
function rectOf(option: string, word: string | undefined) {
  if (word === undefined) return null;
  const [, x, y, width, height] = /^(-?\d{1,5}),(-?\d{1,5}),(\d{1,5})x(\d{1,5})$/.exec(word) ?? [];
  if (x === undefined)
    throw new UsageError(`got ${option} "${word}", expected X,Y,WIDTHxHEIGHT such as 80,40,600x30`);
  return { x: Number(x), y: Number(y), width: Number(width), height: Number(height) };
}

function lineOf({ name, kind, rules, isConfigured }: SecretInfo): string {
  const { desktops, agents, seen } = rules;
  const said = [
    `desktops: ${desktops.join(",") || "none"}`,
    `agents: ${agents.map((agent) => safeText(agent)).join(",") || "none"}`,
    ...(seen?.text === undefined ? [] : [`seen: ${safeText(seen.text)}`]),
    ...(seen?.picture === undefined ? [] : ["seen: a picture"]),
    ...(isConfigured ? ["by the configuration"] : []),
  ];
  return `${name}  ${kind}  ${said.join("  ")}\n`;
}

/** Throws UsageError where the secrets of the data folder are nobody's. */
async function openStore(config: Config): Promise<SecretStore> {
  if (config.cluster.endpoints.length > 0) {
    throw new UsageError(
      "got cluster.endpoints: the secrets of a fleet are kept by its nodes together, in the web app and by PUT, GET and DELETE of /api/v1/secrets at any of them",
    );
  }
  return openSecrets(config, await openSealer(config), systemClock);
}
