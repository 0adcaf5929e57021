import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import * as z from "zod";
import { EXTENSION_ID } from "../../../src/browser/wire/calls.ts";
import type { Owner } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { EXTENSION_ARGS } from "./bridged-browser.ts";

/** A browser that starts on a busy machine has so long for each step. */
const STARTS_WITHIN_MS = 60_000;

const targetsSchema = z.array(
  z.object({ type: z.string(), url: z.string(), webSocketDebuggerUrl: z.string().optional() }),
);
const answerSchema = z.object({
  id: z.number().optional(),
  error: z.object({ message: z.string() }).optional(),
  result: z.object({ result: z.object({ value: z.unknown().optional() }).optional() }).optional(),
});

/** One target of the browser, and calls to it alone. */
class Target {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: z.infer<typeof answerSchema>) => void>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => {
      const answer = answerSchema.parse(JSON.parse(String(data)));
      this.#waiting.get(answer.id ?? -1)?.(answer);
    });
  }

  static async open(url: string): Promise<Target> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return new Target(socket);
  }

  async call(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#last;
    const answer = await new Promise<z.infer<typeof answerSchema>>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
    this.#waiting.delete(id);
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result?.result?.value;
  }

  evaluate(expression: string): Promise<unknown> {
    return this.call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  }

  close(): void {
    this.#socket.close();
  }
}

/**
 * Debian's Chromium with the built extension, whose tabs nobody but the extension debugs. Playwright halts each new page
 * and frame of its browser until it has set them up, and now and then one that another debugger watches too stays halted
 * for good: what the bridge is judged by must not have that.
 */
export class PersonBrowser {
  readonly #address: string;
  readonly #popup: Target;

  private constructor(address: string, popup: Target) {
    this.#address = address;
    this.#popup = popup;
  }

  /** `display`: of an X server on which it is seen; without one it is headless. */
  static async open(owner: Owner, { display, args = [] }: PersonBrowserOptions = {}): Promise<PersonBrowser> {
    const folder = mkdtempSync(join(tmpdir(), "oc-person-"));
    const child = spawn(
      "/usr/bin/chromium",
      [
        ...EXTENSION_ARGS,
        ...args,
        ...(display === undefined ? ["--headless=new"] : []),
        ...[`--user-data-dir=${folder}`, "--remote-debugging-port=0", "about:blank"],
      ],
      {
        stdio: ["ignore", "ignore", "pipe"],
        // A group of its own: its processes write into the profile as long as one of them lives.
        detached: true,
        env: { ...process.env, ...(display === undefined ? {} : { DISPLAY: display }) },
      },
    );
    const gone = new Promise((resolve) => child.once("exit", resolve));
    owner.teardown(async () => {
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
        process.kill(-child.pid, "SIGKILL");
      await gone;
      await until("the profile to be removed", () => {
        rmSync(folder, { recursive: true, force: true });
        return true;
      });
    });
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += String(chunk);
    });
    const port = await until(
      "Chromium to listen",
      () => /127\.0\.0\.1:(\d+)\//.exec(said)?.[1] ?? null,
      STARTS_WITHIN_MS,
    );
    const address = `http://127.0.0.1:${port}/json`;
    const isWorker = ({ type, url }: z.infer<typeof targetsSchema>[number]): boolean =>
      type === "service_worker" && url.includes(EXTENSION_ID);
    await until(
      "the extension's worker",
      async () => (await targetsOf(address)).some(isWorker),
      STARTS_WITHIN_MS,
    );
    const made = await fetch(`${address}/new?chrome-extension://${EXTENSION_ID}/popup.html`, {
      method: "PUT",
    });
    const [target] = targetsSchema.parse([await made.json()]);
    const popup = await Target.open(target?.webSocketDebuggerUrl ?? "");
    owner.teardown(() => popup.close());
    const browser = new PersonBrowser(address, popup);
    await browser.#seen("[role=status]");
    return browser;
  }

  /** Pastes a pairing link into the popup, and waits until it says that the server is there. */
  async pair(link: string): Promise<void> {
    await this.#seen("#link");
    await this.#popup.evaluate("document.querySelector('#link').focus()");
    await this.#popup.call("Input.insertText", { text: link });
    await this.#seen("button[type=submit]:enabled");
    await this.#popup.evaluate("document.querySelector('button[type=submit]').click()");
    const isConnected = async (): Promise<boolean> => {
      const says = String(await this.#popup.evaluate("document.body.innerText"));
      if (/Connected/.test(says)) return true;
      throw new Error(`the popup says: ${says.replaceAll(/\s+/g, " ")}`);
    };
    await until("the popup to say Connected", isConnected, STARTS_WITHIN_MS);
  }

  /** Lets agents open tabs of their own. */
  async letOpenTabs(): Promise<void> {
    const box = "document.querySelector('label.opens input')";
    await this.#seen("label.opens input");
    await this.#popup.evaluate(`${box}.click()`);
    await until("the popup to keep that", () => this.#popup.evaluate(`${box}.checked`).then(Boolean));
  }

  /** Watches over the tabs at an address; what it gives answers the dialog that one of them shows with OK. */
  async watchDialogs(owner: Owner, address: string): Promise<() => Promise<void>> {
    const targets = await Promise.all(
      (await targetsOf(this.#address))
        .filter(({ type, url }) => type === "page" && url.startsWith(address))
        .map(({ webSocketDebuggerUrl }) => Target.open(webSocketDebuggerUrl ?? "")),
    );
    owner.teardown(() => {
      for (const target of targets) target.close();
    });
    // A dialog is answered by who watched when it opened.
    for (const target of targets) await target.call("Page.enable");
    return async () => {
      const accept = (target: Target) => target.call("Page.handleJavaScriptDialog", { accept: true });
      const isAnswered = (await Promise.allSettled(targets.map(accept))).some(
        ({ status }) => status === "fulfilled",
      );
      if (!isAnswered) throw new Error(`no tab at ${address} shows a dialog`);
    };
  }

  #seen(selector: string): Promise<boolean> {
    const isThere = `document.querySelector(${JSON.stringify(selector)}) !== null`;
    const look = async (): Promise<boolean> => Boolean(await this.#popup.evaluate(isThere));
    return until(`${selector} in the popup`, look, STARTS_WITHIN_MS);
  }
}

export interface PersonBrowserOptions {
  readonly display?: string;
  readonly args?: readonly string[];
}

async function targetsOf(address: string): Promise<z.infer<typeof targetsSchema>> {
  return targetsSchema.parse(await (await fetch(`${address}/list`)).json());
}
