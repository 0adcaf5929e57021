import type { AnswerBody, OpenedAnswer } from "../../api/answers-api.ts";
import type {
  ActionInfo,
  ConfigInfo,
  ConnectionBody,
  ConnectionInfo,
  DecisionBody,
  DesktopInfo,
  ErrorInfo,
  MaskBody,
  MaskInfo,
  Me,
  RecordingInfo,
  ReplayInfo,
  ReplayStateInfo,
  RequestBody,
  RulesInfo,
  RulesTried,
  RulesTryBody,
  SearchAllInfo,
  SignedOut,
  SignInWays,
  TestReportInfo,
  TimelineInfo,
  VerificationInfo,
} from "../../api/api.ts";
import type { PushInfo, SubscriptionBody } from "../../api/push-api.ts";
import { heard, t } from "../language/language.ts";
import { below } from "./base-path.ts";

/** The server said no, or could not be reached: `code` "offline", `status` 0. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  /** The next step, where there is one. */
  readonly hint: string | null;

  constructor(status: number, code: string, message: string, hint: string | null) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

/** Server time minus browser time, ms, from the last answer: countdowns are the server's. */
let skewMs = 0;

/** The server's wall time as well as the browser can know it: `Date` headers count whole seconds. */
export function serverNowMs(): number {
  return Date.now() + skewMs;
}

function noteServerTime(response: Response): void {
  const date = Date.parse(response.headers.get("date") ?? "");
  if (Number.isNaN(date)) return;
  // The header is up to a second behind; a smaller difference says nothing.
  const difference = date + 500 - Date.now();
  skewMs = Math.abs(difference) > 1500 ? difference : 0;
}

/** What an answer that is no good one says. */
export async function errorOf(response: Response): Promise<ApiError> {
  try {
    const body: ErrorInfo = await response.json();
    return new ApiError(response.status, body.error.code, body.error.message, body.error.hint);
  } catch {
    return new ApiError(response.status, "no_answer", t`the server answered ${response.status}`, null);
  }
}

/** Throws ApiError; a 401 ends in the sign-in page. A blob goes as the bytes that it is, all else as JSON. */
export async function request(method: string, path: string, body?: object): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(below(path), {
      method,
      headers: {
        accept: "application/json",
        ...(body === undefined
          ? {}
          : { "content-type": `application/${body instanceof Blob ? "octet-stream" : "json"}` }),
      },
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
    });
  } catch {
    throw new ApiError(
      0,
      "offline",
      t`the server cannot be reached`,
      t`check that it is running, then try again`,
    );
  }
  noteServerTime(response);
  // `json` is all that is read of an answer, by whoever asked.
  if (response.ok) return Object.assign(response, { json: async () => heard(await response.text()) });
  throw await errorOf(response);
}

/** The route of a desktop, or of something of it. */
export function desktopPath(id: string, rest = ""): string {
  return `/api/v1/desktops/${encodeURIComponent(id)}${rest}`;
}

function recordingPath(id: string, rest = ""): string {
  return `/api/v1/recordings/${encodeURIComponent(id)}${rest}`;
}

/** What the pages ask of the server, one function a route. */
export const api = {
  async signIn(token: string): Promise<void> {
    await request("POST", "/api/v1/session", { token });
  },
  async signOut(): Promise<SignedOut> {
    return (await request("DELETE", "/api/v1/session")).json();
  },
  async signInWays(): Promise<SignInWays> {
    return (await request("GET", "/api/v1/session/ways")).json();
  },
  async me(): Promise<Me> {
    return (await request("GET", "/api/v1/me")).json();
  },
  async setup(): Promise<ConfigInfo> {
    return (await request("GET", "/config")).json();
  },
  async addDesktop(body: ConnectionBody): Promise<DesktopInfo> {
    return (await request("POST", "/api/v1/desktops", body)).json();
  },
  async testDesktop(body: ConnectionBody): Promise<TestReportInfo> {
    return (await request("POST", "/api/v1/desktops/test", body)).json();
  },
  async connection(id: string): Promise<ConnectionInfo> {
    return (await request("GET", desktopPath(id, "/connection"))).json();
  },
  async editConnection(id: string, edit: ConnectionInfo["connection"]): Promise<ConnectionInfo> {
    return (await request("PUT", desktopPath(id, "/connection"), edit)).json();
  },
  async removeDesktop(id: string): Promise<void> {
    await request("DELETE", desktopPath(id));
  },
  async setMode(id: string, mode: DesktopInfo["mode"]): Promise<void> {
    await request("POST", desktopPath(id, "/mode"), { mode });
  },
  async stop(id: string): Promise<void> {
    await request("POST", desktopPath(id, "/stop"), {});
  },
  async resume(id: string): Promise<void> {
    await request("POST", desktopPath(id, "/resume"), {});
  },
  async reconnect(id: string): Promise<void> {
    await request("POST", desktopPath(id, "/reconnect"), {});
  },
  /** The next certificate or key that the target shows is believed. */
  async trustIdentity(id: string, trust: string): Promise<void> {
    await request("POST", desktopPath(id, "/forget-identity"), { trust });
  },
  async actions(id: string): Promise<readonly ActionInfo[]> {
    return (await request("GET", desktopPath(id, "/actions"))).json();
  },
  /** `isPressed`: by its button on the stage, which takes the input over as any press there does. */
  async removeOverlay(id: string, overlayId: string, isPressed: boolean): Promise<void> {
    const query = isPressed ? "?pressed=1" : "";
    await request("DELETE", desktopPath(id, `/overlays/${encodeURIComponent(overlayId)}${query}`));
  },
  async clearOverlays(id: string): Promise<void> {
    await request("DELETE", desktopPath(id, "/overlays"));
  },
  async masks(id: string): Promise<readonly MaskInfo[]> {
    return (await request("GET", desktopPath(id, "/masks"))).json();
  },
  async addMask(id: string, mask: MaskBody): Promise<void> {
    await request("POST", desktopPath(id, "/masks"), mask);
  },
  async removeMask(id: string, maskId: string): Promise<void> {
    await request("DELETE", desktopPath(id, `/masks/${encodeURIComponent(maskId)}`));
  },
  async decide(approvalId: string, body: DecisionBody): Promise<void> {
    await request("POST", `/api/v1/approvals/${encodeURIComponent(approvalId)}`, body);
  },
  async answerRequest(id: string, body: RequestBody): Promise<void> {
    await request("POST", `/api/v1/requests/${encodeURIComponent(id)}`, body);
  },
  async openAnswer(ticket: string): Promise<OpenedAnswer> {
    return (await request("POST", "/api/v1/answers/open", { ticket })).json();
  },
  async answer(body: AnswerBody): Promise<void> {
    await request("POST", "/api/v1/answers", body);
  },
  async push(): Promise<PushInfo> {
    return (await request("GET", "/api/v1/push")).json();
  },
  async subscribePush(body: SubscriptionBody): Promise<void> {
    await request("PUT", "/api/v1/push/subscription", body);
  },
  async unsubscribePush(endpoint: string): Promise<void> {
    await request("DELETE", "/api/v1/push/subscription", { endpoint });
  },
  async revokeGrant(id: string): Promise<void> {
    await request("DELETE", `/api/v1/grants/${encodeURIComponent(id)}`);
  },
  async rules(id: string): Promise<RulesInfo> {
    return (await request("GET", desktopPath(id, "/rules"))).json();
  },
  async setRules(id: string, rules: RulesInfo["rules"]): Promise<RulesInfo> {
    return (await request("PUT", desktopPath(id, "/rules"), { rules })).json();
  },
  async tryRules(id: string, body: RulesTryBody): Promise<RulesTried> {
    return (await request("POST", desktopPath(id, "/rules/try"), body)).json();
  },
  async recordings(): Promise<readonly RecordingInfo[]> {
    return (await request("GET", "/api/v1/recordings")).json();
  },
  async searchRecordings(text: string): Promise<SearchAllInfo> {
    return (await request("GET", `/api/v1/recordings/search?${new URLSearchParams({ text })}`)).json();
  },
  async startRecording(desktopId: string): Promise<RecordingInfo> {
    return (await request("POST", "/api/v1/recordings", { desktop_id: desktopId })).json();
  },
  async stopRecording(id: string): Promise<RecordingInfo> {
    return (await request("POST", recordingPath(id, "/stop"), {})).json();
  },
  async removeRecording(id: string): Promise<void> {
    await request("DELETE", recordingPath(id));
  },
  async verifyRecording(id: string): Promise<VerificationInfo> {
    return (await request("POST", recordingPath(id, "/verify"), {})).json();
  },
  async bookmark(id: string, label: string): Promise<void> {
    await request("POST", recordingPath(id, "/bookmarks"), { label });
  },
  /** With the entries of all its pages. */
  async timeline(id: string): Promise<TimelineInfo> {
    const page = async (query: string): Promise<TimelineInfo> =>
      (await request("GET", recordingPath(id, `/timeline${query}`))).json();
    const first = await page("");
    const entries = [...first.entries];
    for (let next = first.next_entry; next !== null; ) {
      const more = await page(`?from_entry=${next}`);
      entries.push(...more.entries);
      next = more.next_entry;
    }
    const added = first.markers.map((marker) => ({ type: "marker" as const, is_set: true, ...marker }));
    // The sort keeps the order of what is of one moment.
    return { ...first, entries: [...entries, ...added].sort((a, b) => a.at_ms - b.at_ms), next_entry: null };
  },
  /** null takes away, what is left out stays. */
  async noteRecording(
    id: string,
    note: { readonly name?: string | null; readonly notes?: string | null },
  ): Promise<RecordingInfo> {
    return (await request("PATCH", recordingPath(id), note)).json();
  },
  async addMarker(id: string, atMs: number, label: string): Promise<void> {
    await request("POST", recordingPath(id, "/markers"), { at_ms: atMs, label });
  },
  async removeMarker(id: string, markerId: string): Promise<void> {
    await request("DELETE", recordingPath(id, `/markers/${encodeURIComponent(markerId)}`));
  },
  async replay(desktopId: string): Promise<ReplayStateInfo> {
    return (await request("GET", desktopPath(desktopId, "/replay"))).json();
  },
  /** What is left out stays. */
  async steerReplay(
    desktopId: string,
    change: { readonly at_ms?: number; readonly speed?: number; readonly is_playing?: boolean },
  ): Promise<ReplayStateInfo> {
    return (await request("PATCH", desktopPath(desktopId, "/replay"), change)).json();
  },
  async openReplay(id: string, atMs: number): Promise<ReplayInfo> {
    return (await request("POST", recordingPath(id, "/replay"), { at_ms: atMs })).json();
  },
  async takeOver(id: string): Promise<DesktopInfo> {
    return (await request("POST", desktopPath(id, "/take-over"), {})).json();
  },
  async askInput(id: string): Promise<void> {
    await request("POST", desktopPath(id, "/ask-input"), {});
  },
  /** `to`: the id of who asked. */
  async answerInput(id: string, to: string, give: boolean): Promise<void> {
    await request("POST", desktopPath(id, "/answer-input"), { to, give });
  },
  async giveBack(id: string): Promise<void> {
    await request("POST", desktopPath(id, "/give-back"), {});
  },
};
