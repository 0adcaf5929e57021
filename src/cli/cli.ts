import { checkDataFormat } from "../appliance/data-format.ts";
import { ROLES, TOOLSETS } from "../auth/principal.ts";
import type { Config } from "../config/config-schema.ts";
import { VERSION } from "../platform/version.ts";
import { auditCommand } from "./audit-cli.ts";
import { backupCommand, restoreCommand } from "./backup-cli.ts";
import { clusterCommand } from "./cluster-cli.ts";
import { type Command, configOf, expectWords, parse, task, UsageError, type Values } from "./command-line.ts";
import { configCommand } from "./config-cli.ts";
import { connectionsCommand } from "./connections-cli.ts";
import { doctorCommand } from "./doctor-cli.ts";
import { recordingsCommand } from "./recordings-cli.ts";
import { secretCommand } from "./secret-cli.ts";
import { serviceCommand } from "./service-cli.ts";
import { targetsCommand } from "./targets-cli.ts";
import { tokenCommand } from "./token-cli.ts";

export const HELP = `overlay-companion ${VERSION}: between AI agents, people and the desktops they work on

Usage: overlay-companion [command] [options]

Commands
  serve                         run the appliance (the default)
  config print | validate       show the configuration in force (without secrets), or only check it
  connections list              the desktops that were added while running
  connections add URL [--name NAME]
  connections test URL | ID     shake hands and say how far it got
  connections remove ID
  recordings list
  recordings export ID [--format F] [--from T] [--to T] [--output FILE]
                       [--overlays 0|1] [--pointer 0|1] [--fps N]
                                F: png, ndjson, html, gif, mp4 or webm; T: 1:02:03.5 or seconds;
                                overlays and pointer are painted as they were unless 0 is said
  recordings verify ID          exit 0 only if every byte is as it was sealed
  recordings verify FOLDER [--key-file KEY]
                                the same of a copy anywhere, as ./ID, by its files and the key alone
  targets list                  what desktops proved themselves by, once
  targets forget PLACE          believe the next certificate or key that is seen there
  token create ROLE [--name N]  make a token of a role (${ROLES.join(", ")}); shown once
               [--elicit]       the person at its MCP client may approve what it asks
               [--toolsets T]   its holder has only these tools, as with serve
               [--desktops IDS] for these alone, separated by commas; all without it
               [--owner PERSON] who does not approve what it asks: a token's id, or oidc: and a subject
               [--expires WHEN] 90m, 12h, 30d, or a moment such as 2026-12-31T18:00:00Z; never without it
  token list | revoke ID
  secret add NAME [--file FILE] keep a secret that agents may have typed by its name, or replace one;
             [--totp]           it is read from FILE or standard input, never from the command line;
             [--desktops IDS] [--agents NAMES]
                                --totp: the seed of one-time codes, base32 or otpauth://totp/
             [--seen TEXT] [--seen-picture FILE] [--seen-in X,Y,WxH] [--seen-field X,Y,WxH]
                                what must be read on the screen when it is typed, and where
  secret list | remove NAME
  secret seal --key-file NEW    have secret.key opened by another sealing key as well, while the server runs;
                                the next start with it takes the old one away
  secret unseal                 secret.key lies in the data folder as it is
  audit verify [FILE...]        exit 0 only if every line of the audit log is as it was written
  audit verify FOLDER [--key-file KEY]
                                the same of all files of a log in a folder, as from an archive: gaps are named
  audit export --actor NAME     every event of one actor, by name or id, as NDJSON
  backup FILE [--key-file KEY]  all of the data folder as one archive (tar, 0600), also while the server runs;
                                --key-file: without the key of stored passwords, which goes into KEY
  restore FILE [--key-file KEY] [--replace]
                                check a backup and put it into an empty data folder; --replace puts
                                aside what is there
  service install [--system | --user] [options of serve]
                                have systemd, launchd or Task Scheduler run it from now on; root's is the
                                system's, everybody else's their own
  service uninstall | status    exit status 3: it does not run
          [--root DIR] [--dry-run] [--platform P]
                                write below DIR and run nothing; only show; for P: linux, darwin or win32
  cluster check --endpoints URLS --ca FILE [--cert FILE --key FILE] [--login NAME --password-file FILE]
                                try on an etcd what a fleet of nodes needs of it: members, compare and swap,
                                watch, lease
  doctor [--json]               look at Node, data folder, disk, clock, TLS, ports, fonts, targets and
                                receivers of the audit log; each that is wrong says what to do

Options of serve
  --config FILE      YAML file (else OC_CONFIG)
  --host ADDRESS     where to listen (127.0.0.1)
  --network          listen on this machine's address in the local network, with TLS: a certificate is made at
                     the first start and kept, and its fingerprint printed; --insecure: without TLS
  --port PORT        port of everything but VNC (3000); 0 takes a free one
  --connect URL      [vnc|kasmvnc|rdp]://[user[:password]@]host[:port], browser: or demo: (repeatable);
                     VNC also by vnc+unix:///path, vnc+ws://, vnc+wss://, vnc+repeater://host/ID, vnc+reverse://
  --mode MODE        passive, assist, composing, autopilot or custom
  --stdio            speak MCP on standard input and output, by way of the server that runs, if one does
  --toolsets T       which tools agents see: ${TOOLSETS.join(", ")}, separated by commas (all);
                     with --stdio by way of a running server, of those that it has
  --demo             add the embedded demo desktop
  --vnc-port PORT    serve ordinary VNC viewers
  --data-dir DIR     where tokens, connections and the audit log are kept
  --help, --version
`;

/** Commands beside `serve`, by their first word; what follows it they read themselves. */
const COMMANDS: Readonly<
  Record<string, (words: readonly string[], values: Values, config: Config) => Command>
> = {
  config: configCommand,
  connections: connectionsCommand,
  recordings: recordingsCommand,
  targets: targetsCommand,
  secret: secretCommand,
  token: tokenCommand,
  audit: auditCommand,
  backup: backupCommand,
  restore: restoreCommand,
  doctor: doctorCommand,
  service: serviceCommand,
  cluster: clusterCommand,
};

/** What reads nothing that the server keeps, or judges it by itself. */
const UNTOUCHING: ReadonlySet<string> = new Set(["config", "cluster", "doctor", "restore", "service"]);

/** What connects to desktops. */
const CONNECTING: ReadonlySet<string> = new Set(["connections", "doctor"]);

/** Throws UsageError or ConfigError. */
export function readCommand(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Command {
  const { values, positionals } = parse(argv);
  if (values.help) return { kind: "print", text: HELP };
  if (values.version) return { kind: "print", text: `${VERSION}\n` };
  const [command = "serve", ...rest] = positionals;
  if (command === "serve") {
    expectWords(command, rest, 0);
    return { kind: "serve", config: configOf(values, env) };
  }
  const read = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (read !== undefined) {
    const config = configOf(values, env, CONNECTING.has(command));
    return UNTOUCHING.has(command)
      ? read(rest, values, config)
      : checkedFirst(read(rest, values, config), config);
  }
  // It may hold a password.
  if (command.includes("://"))
    throw new UsageError("got a URL as the command: connect to it with --connect URL");
  throw new UsageError(
    `got the command "${command}", expected serve, ${wordList(Object.keys(COMMANDS))} (see --help)`,
  );
}

/** Never works on data that another version wrote in another format. */
function checkedFirst(command: Command, { data_dir }: Config): Command {
  if (command.kind !== "task") return command;
  return task(async () => {
    await checkDataFormat(data_dir);
    return command.run();
  });
}

function wordList(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
