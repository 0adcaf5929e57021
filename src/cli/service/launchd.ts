import { posix } from "node:path";
import { SERVICE_NAME, type ServiceManagerWords, xmlText } from "./service.ts";

/** launchd.plist(5), as an agent of the user's: it runs while they are signed in. */
export const LAUNCHD: ServiceManagerWords = {
  title: "launchd",
  file: (_, home) => posix.join(home, "Library/LaunchAgents", `${SERVICE_NAME}.plist`),
  write: ({ command, configFile, dataDir }, home) => {
    const words = [
      ...command,
      ...(configFile === null ? [] : ["--config", configFile]),
      ...(dataDir === null ? [] : ["--data-dir", dataDir]),
    ];
    const log = posix.join(home, "Library/Logs", `${SERVICE_NAME}.log`);
    return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${SERVICE_NAME}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${xmlText(word)}</string>\n`).join("")}  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>NODE_ENV</key>
    <string>production</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>1</integer>
  <key>ExitTimeOut</key>
  <integer>10</integer>
  <key>ProcessType</key>
  <string>Interactive</string>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardErrorPath</key>
  <string>${xmlText(log)}</string>
</dict>
</plist>
`;
  },
  start: (file, _, uid) => [["launchctl", "bootstrap", `gui/${uid}`, file]],
  stop: (_file, _, uid) => [["launchctl", "bootout", `gui/${uid}/${SERVICE_NAME}`]],
  ask: (_, uid) => ["launchctl", "print", `gui/${uid}/${SERVICE_NAME}`],
  forget: () => [],
  notes: () => [`its log: ~/Library/Logs/${SERVICE_NAME}.log`],
};
