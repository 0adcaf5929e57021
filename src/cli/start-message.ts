export interface StartFacts {
  readonly url: string;
  /** Of a certificate of our own, which no browser knows; null where there is none. */
  readonly fingerprint: string | null;
  /** For the link a person clicks; null where nobody sits at the terminal. */
  readonly code: string | null;
  readonly agentToken: string | null;
  /** null where OC_TOKEN is the admin token. */
  readonly adminTokenFile: string | null;
  readonly agentTokenFile: string;
}

/** What is said at start: on a terminal how to get in, elsewhere the files that hold the tokens. */
export function startMessage(facts: StartFacts): string {
  const { url, fingerprint, code, agentToken, adminTokenFile, agentTokenFile } = facts;
  const proof = fingerprint === null ? [] : ["Its certificate is its own, SHA-256:", `  ${fingerprint}`];
  if (code === null || agentToken === null) {
    const admin =
      adminTokenFile === null ? "the admin token is OC_TOKEN" : `the admin token is in ${adminTokenFile}`;
    return `Overlay Companion: ${url} (${admin}, the agent token in ${agentTokenFile})\n${proof.map((line) => `${line}\n`).join("")}`;
  }
  const snippet = {
    mcpServers: {
      "overlay-companion": {
        type: "http",
        url: `${url}/mcp`,
        headers: { Authorization: `Bearer ${agentToken}` },
      },
    },
  };
  return [
    "",
    "Overlay Companion runs.",
    "",
    "Open the web app (the link signs you in once, within ten minutes):",
    `  ${url}/?token=${code}`,
    "",
    ...(proof.length === 0 ? [] : [...proof, ""]),
    "Give this to your MCP client:",
    JSON.stringify(snippet, null, 2).replace(/^/gm, "  "),
    "",
    `More clients: ${url}/setup. Stop with Ctrl+C.`,
    "",
    "",
  ].join("\n");
}
