import { execFile } from "node:child_process";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { homedir, userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../config/config-schema.ts";
import { ownProgram } from "../platform/own-program.ts";
import { type Command, expectWords, task, UsageError, type Values } from "./command-line.ts";
import { LAUNCHD } from "./service/launchd.ts";
import type { Service, ServiceManagerWords } from "./service/service.ts";
import { SYSTEMD } from "./service/systemd.ts";
import { TASK_SCHEDULER } from "./service/task-scheduler.ts";

/** The machine that a service is made on. */
export interface ServiceHost {
  readonly platform: string;
  readonly uid: number;
  readonly home: string;
  /** Runs a command of the service manager's; gives its exit status and what it wrote. Rejects where there is none. */
  run(command: readonly string[]): Promise<{ readonly status: number; readonly text: string }>;
}

const MANAGERS: Readonly<Record<string, ServiceManagerWords>> = {
  linux: SYSTEMD,
  darwin: LAUNCHD,
  win32: TASK_SCHEDULER,
};

/** Of which machines this was run; the others' files are as their makers' references have them, and no more. */
const TRIED: ReadonlySet<string> = new Set(["linux"]);

/** As systemctl's for a service that does not run. */
const NOT_RUNNING = 3;

/** Folders that the sandbox of the system's unit hides. */
const HIDDEN = /^\/(home|root|run\/user|tmp|var\/tmp)\//;

const THIS_HOST: ServiceHost = {
  platform: process.platform,
  uid: userInfo().uid,
  home: homedir(),
  run: ([program = "", ...args]) =>
    new Promise((resolve, reject) => {
      execFile(program, args, (error, stdout, stderr) => {
        const status = error === null ? 0 : error.code;
        if (typeof status === "number") resolve({ status, text: `${stdout}${stderr}` });
        else reject(new UsageError(`cannot run ${program} (${status}): is it there?`));
      });
    }),
};

/** `service install`, `uninstall` and `status`. Throws UsageError. */
export function serviceCommand(
  words: readonly string[],
  values: Values,
  config: Config,
  host: ServiceHost = THIS_HOST,
): Command {
  const [action] = words;
  if (action !== "install" && action !== "uninstall" && action !== "status") {
    throw new UsageError(`got "service ${action ?? ""}", expected service install, uninstall or status`);
  }
  expectWords(`service ${action}`, words, 1);
  const place = placeOf(values, host);
  switch (action) {
    case "install":
      return install(place, serviceOf(values, config, place), values["dry-run"] === true, host);
    case "uninstall":
      return task(() => uninstall(place, values["dry-run"] === true, host));
    case "status":
      return task(() => status(place, host));
  }
}

/** Where a service's file is, and whose words it is in. */
interface Place {
  readonly platform: string;
  readonly manager: ServiceManagerWords;
  readonly isOfSystem: boolean;
  /** As the manager names it; below `root` where one was said. */
  readonly file: string;
  readonly root: string | null;
}

function placeOf(values: Values, host: ServiceHost): Place {
  const { platform = host.platform, root } = values;
  const manager = Object.hasOwn(MANAGERS, platform) ? MANAGERS[platform] : undefined;
  if (manager === undefined) {
    throw new UsageError(
      `got the platform "${platform}", expected ${Object.keys(MANAGERS).join(", ")}: run serve by the service manager you have`,
    );
  }
  if (values.system === true && values.user === true)
    throw new UsageError("got --system and --user, expected one of them");
  if (platform !== host.platform && root === undefined && values["dry-run"] !== true) {
    throw new UsageError(
      `got --platform ${platform} on ${host.platform}: expected --root or --dry-run with it`,
    );
  }
  if (platform !== "linux" && values.system === true) {
    throw new UsageError(`got --system on ${platform}, where it is a service of the user alone`);
  }
  const isOfSystem = platform === "linux" && (values.system ?? (values.user !== true && host.uid === 0));
  const file = manager.file(isOfSystem, host.home);
  return { platform, manager, isOfSystem, file, root: root === undefined ? null : resolve(root) };
}

function serviceOf(values: Values, config: Config, { isOfSystem, platform, root }: Place): Service {
  if (values.connect !== undefined) {
    throw new UsageError(
      "got --connect, which may hold a password that everybody could read in the service's file: write it into the configuration file (connections)",
    );
  }
  const dataDir = values["data-dir"];
  if (isOfSystem && dataDir !== undefined) {
    throw new UsageError(
      "got --data-dir with a system's service, whose data is in /var/lib/overlay-companion",
    );
  }
  const command = [...ownProgram(["--enable-source-maps"]), "serve", ...flagsOf(values)];
  const hidden = isOfSystem && root === null ? command.find((word) => HIDDEN.test(word)) : undefined;
  if (hidden !== undefined && platform === "linux") {
    throw new UsageError(
      `${hidden} is in a folder that a system's service does not see: install the package for all (npm install -g), or say --user`,
    );
  }
  const ports = [config.server.port, config.vnc.port, ...config.vnc.listeners.map(({ port }) => port)];
  return {
    command,
    configFile: values.config === undefined ? null : resolve(values.config),
    dataDir: dataDir === undefined ? null : resolve(dataDir),
    isOfSystem,
    hasLowPort: ports.some((port) => port !== undefined && port > 0 && port < 1024),
  };
}

/** What `serve` was told, but for the files, which a manager may have to bring. */
function flagsOf({
  host,
  port,
  mode,
  toolsets,
  demo,
  network,
  insecure,
  ...values
}: Values): readonly string[] {
  const said = { host, port, mode, toolsets, "vnc-port": values["vnc-port"] };
  const flags = Object.entries(said).flatMap(([name, word]) =>
    word === undefined ? [] : [`--${name}`, word],
  );
  const words = Object.entries({ demo, network, insecure }).filter(([, isSaid]) => isSaid === true);
  return [...flags, ...words.map(([name]) => `--${name}`)];
}

function install(place: Place, service: Service, isDry: boolean, host: ServiceHost): Command {
  const { manager, isOfSystem, file, root, platform } = place;
  const bytes = manager.write(service, host.home);
  const commands = manager.start(file, isOfSystem, host.uid);
  const untried = TRIED.has(platform)
    ? []
    : [
        `note: the project has not run this with ${manager.title}: it is written as ${manager.title}'s reference says`,
      ];
  if (isDry) {
    const content = typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("utf16le").slice(1);
    return { kind: "print", text: lines(`# ${file}`, content.trimEnd(), ...commands.map(shown), ...untried) };
  }
  return task(async () => {
    const at = onDisk(place);
    await mkdir(dirname(at), { recursive: true });
    await writeFile(at, bytes, { mode: 0o644 });
    if (root !== null) return lines(`${at}  written`, "then:", ...commands.map(shown), ...untried);
    await runAll(commands, host);
    return lines(`${at}  written`, `${manager.title} runs it`, ...manager.notes(isOfSystem), ...untried);
  });
}

async function uninstall(place: Place, isDry: boolean, host: ServiceHost): Promise<string> {
  const { manager, isOfSystem, file, root } = place;
  const at = onDisk(place);
  if (!(await isThere(at))) throw new UsageError(`there is no ${at}: nothing is installed`);
  const commands = manager.stop(file, isOfSystem, host.uid);
  if (isDry) return lines(...commands.map(shown), `remove ${at}`, ...manager.forget(isOfSystem).map(shown));
  if (root === null) await runAll(commands, host);
  await rm(at);
  if (root === null) await runAll(manager.forget(isOfSystem), host);
  return lines(`${at}  removed; its data stays where it is`);
}

/** Exit status 0 where it runs, 3 where it does not. */
async function status(place: Place, host: ServiceHost): Promise<string> {
  const { manager, isOfSystem, root } = place;
  const at = onDisk(place);
  if (!(await isThere(at))) {
    process.exitCode = NOT_RUNNING;
    return lines(`not installed: there is no ${at}`);
  }
  if (root !== null) return lines(`installed: ${at}`);
  const { status, text } = await host.run(manager.ask(isOfSystem, host.uid));
  if (status !== 0) process.exitCode = NOT_RUNNING;
  return lines(`installed: ${at}`, `${manager.title} says: ${text.trim()}`);
}

async function runAll(commands: readonly (readonly string[])[], host: ServiceHost): Promise<void> {
  for (const command of commands) {
    const { status, text } = await host.run(command);
    if (status !== 0) throw new UsageError(`${shown(command)} failed (${status}): ${text.trim()}`);
  }
}

function onDisk({ file, root }: Place): string {
  return root === null ? file : join(root, file.replace(/^[A-Za-z]:/, "").replaceAll("\\", "/"));
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function shown(command: readonly string[]): string {
  return `$ ${command.join(" ")}`;
}

function lines(...texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}
