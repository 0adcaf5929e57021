import type { Connection } from "./connection.ts";

/** VncAuth keys DES with 8 bytes (RFC 6143 section 7.2.2). */
const VNC_PASSWORD_LENGTH = 8;

/** What whoever adds or edits a connection should know of it, in words: nothing of it is an error. */
export function connectionWarnings({ protocol, username, password, rdp, ...way }: Connection): string[] {
  if (protocol === "browser") return way.host === "" ? browserWarnings(way.browser) : [FOREIGN_BROWSER];
  const warnings: string[] = [];
  const hasName = username !== null && username !== "";
  if (password === null || password === "") {
    warnings.push("no password was given: this works only where the server asks for none");
  } else if (protocol === "vnc" && username === null && password.length > VNC_PASSWORD_LENGTH) {
    warnings.push("classic VNC authentication uses only the first 8 characters of a password");
  }
  if (protocol === "kasmvnc" && !hasName) {
    warnings.push("no user name was given: KasmVNC asks for one unless its basic authentication is off");
  }
  if (rdp !== undefined && protocol !== "rdp") {
    warnings.push(`rdp was given, which means nothing to ${protocol}`);
  }
  if (protocol === "rdp" && rdp !== undefined) warnings.push(...monitorWarnings(rdp));
  if (protocol !== "vnc" && (way.security !== undefined || way.encodings !== undefined)) {
    warnings.push(`security and encodings are for vnc, they mean nothing to ${protocol}`);
  }
  return warnings;
}

const FOREIGN_BROWSER =
  "whoever acts on it has what that browser is signed in to, and its pages lead wherever it reaches: targets.only and targets.deny hold for its port alone";

function browserWarnings({ sandbox, networks }: NonNullable<Connection["browser"]> = {}): string[] {
  const warnings: string[] = [];
  if (sandbox === "off" || process.getuid?.() === 0) {
    warnings.push(
      "it runs without Chromium's sandbox, so that a page which takes over the browser has the rights of this appliance: run the appliance as an ordinary user and leave browser.sandbox on",
    );
  }
  if (networks === "all") {
    warnings.push("its pages, and who acts on them, reach loopback and the private networks of this machine");
  }
  return warnings;
}

function monitorWarnings({ monitors = [], width, height }: NonNullable<Connection["rdp"]>): string[] {
  const warnings: string[] = [];
  if (monitors.length > 1) {
    warnings.push(
      `${monitors.length} monitors are asked for, and the host decides how many it gives: get_display_info lists those that are there`,
    );
  }
  const odd = [...monitors.map((monitor) => monitor.width), width ?? 0].find((side) => side % 2 === 1);
  if (odd !== undefined) {
    // MS-RDPEDISP 2.2.2.2.1: the width of a monitor is even.
    warnings.push(`a width of ${odd} was asked for, and hosts may round it down to an even one`);
  }
  if ((width === undefined) !== (height === undefined)) {
    warnings.push("only one of width and height was given: the other one is that of 1280x800");
  }
  return warnings;
}
