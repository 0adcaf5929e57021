import t from "tap";
import { checkConfig } from "../../src/config/check-config.ts";
import { type Config, ConfigError } from "../../src/config/config-schema.ts";
import { loadConfig } from "../../src/config/load-config.ts";

function configOf(env: Record<string, string>): Config {
  return loadConfig({ env, flags: {}, file: undefined, connect: [], isDemo: true, isStdio: false });
}

t.test("links of pushes lead to the app where it is below a path, or are refused at the start", async (t) => {
  const below = { OC_BASE_PATH: "/oc" };
  for (const url of [
    "https://desk.example.com",
    "https://desk.example.com/other",
    "https://desk.example.com/oc/x",
  ]) {
    const config = configOf({ ...below, OC_PUSH_BASE_URL: url });
    await t.rejects(checkConfig(config), ConfigError, url);
    await t.rejects(checkConfig(config), { message: /expected https:\/\/desk\.example\.com\/oc: / });
  }
  for (const url of ["https://desk.example.com/oc", "https://desk.example.com/oc/"]) {
    await t.resolves(checkConfig(configOf({ ...below, OC_PUSH_BASE_URL: url })), url);
  }
  await t.resolves(
    checkConfig(configOf({ OC_PUSH_BASE_URL: "https://desk.example.com" })),
    "no path, no question",
  );
  await t.resolves(checkConfig(configOf(below)), "no links");
});
