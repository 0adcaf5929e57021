import { win32 } from "node:path";
import { SERVICE_NAME, type ServiceManagerWords, xmlText } from "./service.ts";

const FOLDER = "AppData\\Local\\overlay-companion";

/**
 * A task of Windows' Task Scheduler, schema 1.2, that begins as the user signs in. schtasks.exe expects the file in UTF-16 with its byte
 * order mark. Without ExecutionTimeLimit it would be ended after three days.
 */
export const TASK_SCHEDULER: ServiceManagerWords = {
  title: "Task Scheduler",
  file: (_, home) => win32.join(home, FOLDER, `${SERVICE_NAME}.task.xml`),
  write: ({ command: [program = "", ...rest], configFile, dataDir }) => {
    const words = [
      ...rest,
      ...(configFile === null ? [] : ["--config", configFile]),
      ...(dataDir === null ? [] : ["--data-dir", dataDir]),
    ];
    const text = `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Overlay Companion: between AI agents, people and the desktops they work on</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <AllowHardTerminate>true</AllowHardTerminate>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>999</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${xmlText(program)}</Command>
      <Arguments>${xmlText(words.map(argument).join(" "))}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
    return Buffer.from(`\uFEFF${text.replaceAll("\n", "\r\n")}`, "utf16le");
  },
  start: (file) => [
    ["schtasks", "/Create", "/TN", SERVICE_NAME, "/XML", file, "/F"],
    ["schtasks", "/Run", "/TN", SERVICE_NAME],
  ],
  stop: () => [
    ["schtasks", "/End", "/TN", SERVICE_NAME],
    ["schtasks", "/Delete", "/TN", SERVICE_NAME, "/F"],
  ],
  ask: () => ["schtasks", "/Query", "/TN", SERVICE_NAME],
  forget: () => [],
  notes: () => ["its log is not kept: Task Scheduler keeps no output of programs"],
};

/** As CommandLineToArgvW reads it: backslashes before a quote count double. */
function argument(word: string): string {
  if (/^[^\s"]+$/.test(word)) return word;
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, "$&$&")}"`;
}
