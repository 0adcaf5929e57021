import { join } from "node:path";
import { SERVICE_NAME, type Service, type ServiceManagerWords } from "./service.ts";

const UNIT = `${SERVICE_NAME}.service`;
/** What may be set beside the configuration, secrets above all: NAME=value lines that only root, or the user, may read. */
const SYSTEM_ENVIRONMENT = `/etc/${SERVICE_NAME}/environment`;

/**
 * systemd.exec(5) and systemd.service(5). The system's unit gets a user of its own for as long as it runs and sees of the machine what it needs alone:
 * `systemd-analyze security` gives it 1.4. Not MemoryDenyWriteExecute, for V8 compiles as it runs. A user's manager may not do
 * most of that, so a user's unit asks for the rest only.
 */
export const SYSTEMD: ServiceManagerWords = {
  title: "systemd",
  file: (isOfSystem, home) =>
    isOfSystem ? `/etc/systemd/system/${UNIT}` : join(home, ".config/systemd/user", UNIT),
  write: (service) => {
    const { isOfSystem } = service;
    return section("Unit", [
      "Description=Overlay Companion: between AI agents, people and the desktops they work on",
      ...(isOfSystem ? ["Wants=network-online.target", "After=network-online.target"] : []),
      "StartLimitIntervalSec=60",
      "StartLimitBurst=10",
    ])
      .concat(
        section("Service", [
          "Type=notify",
          "# Messages are sent by systemd-notify, a child of the service.",
          "NotifyAccess=all",
          `ExecStart=${words(service).join(" ")}`,
          "Environment=NODE_ENV=production",
          ...dataLines(service),
          `EnvironmentFile=-${isOfSystem ? SYSTEM_ENVIRONMENT : `%h/.config/${SERVICE_NAME}/environment`}`,
          ...(isOfSystem && service.configFile !== null
            ? [`LoadCredential=config.yaml:${specifierFree(service.configFile)}`]
            : []),
          "Restart=on-failure",
          "RestartSec=1",
          "TimeoutStartSec=180",
          "TimeoutStopSec=10",
          "WatchdogSec=60",
          "KillMode=mixed",
          "UMask=0077",
          ...(isOfSystem ? systemSandbox(service) : USER_SANDBOX),
        ]),
      )
      .concat(section("Install", [`WantedBy=${isOfSystem ? "multi-user.target" : "default.target"}`]))
      .join("\n");
  },
  start: (_, isOfSystem) => [
    systemctl(isOfSystem, "daemon-reload"),
    systemctl(isOfSystem, "enable", UNIT),
    systemctl(isOfSystem, "restart", UNIT),
  ],
  stop: (_, isOfSystem) => [systemctl(isOfSystem, "disable", "--now", UNIT)],
  ask: (isOfSystem) => systemctl(isOfSystem, "is-active", UNIT),
  forget: (isOfSystem) => [systemctl(isOfSystem, "daemon-reload")],
  notes: (isOfSystem) =>
    isOfSystem
      ? [
          `its data is in /var/lib/${SERVICE_NAME}: the first administrator's token is /var/lib/${SERVICE_NAME}/admin-token`,
          `what is configured by environment, secrets too, goes into ${SYSTEM_ENVIRONMENT} (0600, NAME=value lines)`,
          `its log: journalctl -u ${SERVICE_NAME}`,
        ]
      : [
          "it ends with the user's last session unless: loginctl enable-linger",
          `what is configured by environment, secrets too, goes into ~/.config/${SERVICE_NAME}/environment (0600, NAME=value lines)`,
          `its log: journalctl --user -u ${SERVICE_NAME}`,
        ],
};

function systemctl(isOfSystem: boolean, ...rest: readonly string[]): readonly string[] {
  return ["systemctl", ...(isOfSystem ? [] : ["--user"]), ...rest];
}

function section(name: string, lines: readonly string[]): readonly string[] {
  return [`[${name}]`, ...lines, ""];
}

function words({ command, configFile, dataDir, isOfSystem }: Service): readonly string[] {
  // A dynamic user may read no file of root's: systemd reads it, and hands it on.
  const config =
    configFile === null
      ? []
      : ["--config", isOfSystem ? `\${CREDENTIALS_DIRECTORY}/config.yaml` : word(configFile)];
  const data = dataDir === null || isOfSystem ? [] : ["--data-dir", word(dataDir)];
  return [...command.map(word), ...config, ...data];
}

function dataLines({ isOfSystem }: Service): readonly string[] {
  if (!isOfSystem) return [];
  return [
    `Environment=OC_DATA_DIR=%S/${SERVICE_NAME}`,
    "DynamicUser=yes",
    `StateDirectory=${SERVICE_NAME}`,
    "StateDirectoryMode=0700",
  ];
}

/** A word of a command line: in quotes, without specifiers and variables of systemd's. */
function word(text: string): string {
  const plain = specifierFree(text).replaceAll("$", "$$$$");
  return /^[\w@%+=:,./-]+$/.test(plain)
    ? plain
    : `"${plain.replace(/["\\]/g, (sign) => `\\${sign}`).replaceAll("\n", "\\n")}"`;
}

function specifierFree(text: string): string {
  return text.replaceAll("%", "%%");
}

/** What needs neither root nor namespaces. */
const USER_SANDBOX = [
  // Memory holds pictures of desktops, and keys.
  "LimitCORE=0",
  "NoNewPrivileges=yes",
  "LockPersonality=yes",
  "RestrictNamespaces=yes",
  "RestrictRealtime=yes",
  "RestrictSUIDSGID=yes",
  "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6",
  "SystemCallArchitectures=native",
  "SystemCallFilter=@system-service",
  "SystemCallErrorNumber=EPERM",
];

function systemSandbox({ hasLowPort }: Service): readonly string[] {
  // A port below 1024 is the host's: a user namespace of its own has no say over it.
  const capability = hasLowPort ? "CAP_NET_BIND_SERVICE" : "";
  return [
    `CapabilityBoundingSet=${capability}`,
    `AmbientCapabilities=${capability}`,
    ...(hasLowPort ? [] : ["PrivateUsers=yes"]),
    "PrivateDevices=yes",
    "PrivateIPC=yes",
    "PrivateMounts=yes",
    "PrivateTmp=yes",
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "ProtectClock=yes",
    "ProtectHostname=yes",
    "ProtectKernelLogs=yes",
    "ProtectKernelModules=yes",
    "ProtectKernelTunables=yes",
    "ProtectControlGroups=yes",
    "ProtectProc=invisible",
    "ProcSubset=pid",
    "RemoveIPC=yes",
    "KeyringMode=private",
    "DevicePolicy=closed",
    ...USER_SANDBOX,
    "SystemCallFilter=~@privileged @resources",
  ];
}
