import { SecretBox } from "../auth/secret-box.ts";
import { type ConfiguredSecret, SecretStore } from "../auth/secrets/secret-store.ts";
import type { Config } from "../config/config-schema.ts";
import { secretOfCommand } from "../config/secret-command.ts";
import type { SecretPorts } from "../desktop/control/secret-typing.ts";
import type { Desktops } from "../desktop/desktops.ts";
import type { Clock } from "../platform/clock.ts";
import type { DesktopTexts } from "../vision/text/desktop-texts.ts";
import type { TextQuery } from "../vision/text/text-line.ts";
import type { OpenFleet } from "./fleet/open-fleet.ts";

/** Opens what the data folder keeps sealed. Throws AuthError bad_key, and ConfigError where the key's command gives none. */
export function openSealer({ data_dir, sealing }: Pick<Config, "data_dir" | "sealing">): Promise<SecretBox> {
  return SecretBox.open(data_dir, sealingKeyOf(sealing));
}

/** null where secret.key lies in the data folder as it is. */
export function sealingKeyOf({ key, command }: Config["sealing"]): string | null {
  return key ?? (command === undefined ? null : secretOfCommand(command, "sealing.command"));
}

/** The named secrets of the data folder, or of all nodes of a fleet, and those of the configuration. */
export function openSecrets(
  config: Config,
  sealer: SecretBox,
  clock: Clock,
  shared: Pick<OpenFleet, "sealer" | "secrets"> | null = null,
): Promise<SecretStore> {
  const configured = config.secrets.map(({ name, value_file, totp_file, ...rules }): ConfiguredSecret => {
    const kind = totp_file === undefined ? "secret" : "totp";
    return { name, kind, file: totp_file ?? value_file ?? "", rules };
  });
  return SecretStore.open(config.data_dir, shared?.sealer ?? sealer, clock, configured, shared?.secrets);
}

/** What the gate needs to type them: who may, and what agents are shown of a desktop in words. */
export function secretPorts(
  store: Pick<SecretStore, "find">,
  texts: Pick<DesktopTexts, "find">,
  desktops: () => Pick<Desktops, "get">,
): SecretPorts {
  return {
    find: (use, actor, desktopId) => store.find(use, actor, desktopId),
    locate: async (desktopId, { text, region }, signal) => {
      const query = seenQuery(text);
      const { generation, matches } = await texts.find(desktops().get(desktopId), query, region, signal);
      return { generation, places: matches.map(({ rect }) => rect) };
    },
  };
}

/**
 * A text that stands by itself, between spaces or at the ends of a line: in "https://bank.example.evil.net/" there is no
 * "https://bank.example". One that ends in a slash is where an address goes on.
 */
function seenQuery(text: string): TextQuery {
  const words = text
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const end = text.trim().endsWith("/") ? "" : "(?!\\S)";
  return { text: `(?<!\\S)${words.join("\\s+")}${end}`, match: "regex", isCaseSensitive: true };
}
