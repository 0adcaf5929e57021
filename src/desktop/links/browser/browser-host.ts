/** What a browser of ours has of the machine; link threads see no environment by themselves. */
export interface BrowserHost {
  /** The folder of profiles that are kept; null: none is. */
  readonly profiles: string | null;
  /** What finds programs, fonts and words, and nothing else of ours: an environment holds tokens. */
  readonly environment: Readonly<Record<string, string>>;
}

const PASSED = ["PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "FONTCONFIG_PATH", "FONTCONFIG_FILE"];

/** As this process has it. */
export function browserHost(profiles: string | null, environment = process.env): BrowserHost {
  const passed = PASSED.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { profiles, environment: Object.fromEntries(passed) };
}
