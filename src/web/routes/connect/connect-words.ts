import type { ReaderLanguage } from "../../http/reader-language.ts";

/** What `/connect` says; what it is given are elements of its page. */
interface ConnectWords {
  readonly title: string;
  readonly browser: string;
  readonly code: string;
  readonly extension: string;
  readonly agent: string;
  readonly setup: string;
  paste(until: string): string;
  mcp(mcp: string, sse: string, setup: string): string;
}

export const CONNECT_WORDS: Readonly<Record<ReaderLanguage, ConnectWords>> = {
  en: {
    title: "Connect",
    browser: "A browser",
    code: "The same link as a QR code",
    extension: "Get the extension",
    agent: "An agent",
    setup: "Setup",
    paste: (until) =>
      `Paste this link into the extension's popup. It pairs one browser, once, until ${until}, for every agent. Reload this page for another one.`,
    mcp: (mcp, sse, setup) =>
      `MCP is at ${mcp}, for clients of 2024-11-05 at ${sse}. ${setup} has what to paste into each client, with a token.`,
  },
  de: {
    title: "Verbinden",
    browser: "Ein Browser",
    code: "Derselbe Link als QR-Code",
    extension: "Erweiterung herunterladen",
    agent: "Ein Agent",
    setup: "Setup",
    paste: (until) =>
      `Fügen Sie diesen Link in das Fenster der Erweiterung ein. Er koppelt einen Browser, einmal, bis ${until}, für alle Agenten. Laden Sie diese Seite neu für einen weiteren.`,
    mcp: (mcp, sse, setup) =>
      `MCP gibt es unter ${mcp}, für Clients von 2024-11-05 unter ${sse}. Unter ${setup} steht, was in jeden Client einzutragen ist, mit einem Token.`,
  },
};
