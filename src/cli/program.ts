import { leaveMemoryOut } from "../platform/crash-files.ts";
import { readCommand } from "./cli.ts";
import { faultMessage } from "./fault-message.ts";

async function main(): Promise<void> {
  // Before any secret is read.
  leaveMemoryOut();
  const command = readCommand(process.argv.slice(2), process.env);
  switch (command.kind) {
    case "print":
      process.stdout.write(command.text);
      break;
    case "task":
      process.stdout.write(await command.run());
      break;
    case "serve": {
      // Most of the program, which other commands do not need.
      const { serve } = await import("../appliance/serve.ts");
      await serve(command.config);
      break;
    }
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`overlay-companion: ${faultMessage(error)}\n`);
  process.exit(1);
});
