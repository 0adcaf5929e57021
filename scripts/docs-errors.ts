import { HINTS } from "../src/mcp/tool/error.ts";
import type { RfbErrorCode } from "../src/protocols/rfb/error.ts";
import { ANSWERS } from "../src/web/http/error.ts";
import { GENERATED, table } from "./markdown.ts";

/** Why a conversation with a peer ended; the compiler sees that none is missing. */
const RFB_MEANINGS: Readonly<Record<RfbErrorCode, string>> = {
  bad_version: "the greeting is not that of RFB from version 3 on: something else listens there",
  refused: "the peer said no, with its reason",
  no_common_auth: "none of the security types offered is one we speak",
  auth_failed: "the password is wrong, or the peer locked us out",
  password_required: "the peer wants a password and none is configured",
  no_identity: "the peer offers only security types in which it does not prove who it is",
  bad_size: "the picture has no pixels, or more than we hold",
  bad_pixel_format: "the format has impossible shifts or depths, or is not true colour",
  bad_rect: "a rectangle lies outside the picture",
  bad_data: "compressed or encoded data do not decode to what the header announced",
  too_large: "a length is above its limit; nothing was allocated for it",
  unknown_message: "a message type that nobody asked for",
  unsolicited_encoding: "an encoding that we never offered",
  too_slow: "a message that began was not whole in time",
  too_fast: "more of a message within a second than anybody needs",
  target_closed: "the connection ended in the middle of something",
};

/** docs/errors.md: every code a caller can meet, with what to do next. */
export function renderErrorsDoc(): string {
  const http: Readonly<Record<string, readonly [number, string | null]>> = ANSWERS;
  const mcp: Readonly<Record<string, string>> = HINTS;
  const codes = [...new Set([...Object.keys(mcp), ...Object.keys(http)])].sort();
  const rows = codes.map((code) => {
    const [status, hint] = http[code] ?? [null, null];
    return [`\`${code}\``, status === null ? "" : `${status}`, mcp[code] ?? hint ?? ""];
  });
  return [
    "# Errors",
    GENERATED,
    'REST answers `{"error": {"code", "message", "hint"}}` with the status below. An MCP tool answers `isError: true`, the',
    "text `code: what happened. what to do next`, and the same fields, with `retry_after_ms`, as structured content.",
    "",
    "Nothing was done when a call is refused, unless the error has `done`: then the action had begun, and `done` says how",
    "far it got, at the place where it ended (the target was lost, a stop, a person who took over, other rules, a cancelled",
    "call, a removed desktop). Its hint is then to look and do only the rest. Numbers of `done`: `typed` characters of `of`,",
    "`confirmed` of them surely taken; `clicks`, `chords` (key presses), `notches` of `of`; `points` of a drag's `of`, let go",
    "at `x`, `y`; `steps` of `of` of anything else. In batch_actions and computer it is in `failed`, beside the `index`.",
    "",
    table(["code", "HTTP", "what to do"], rows),
    "",
    "## Why a target's connection ended",
    "",
    "A desktop's state carries one of the codes above. The log says which of these faults of the peer it was, in which",
    "phase and at which byte; all that is not named above appears there as `protocol_error`.",
    "",
    table(
      ["code", "meaning"],
      Object.entries(RFB_MEANINGS).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
  ].join("\n");
}
