import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { guardTarget, type TargetReach } from "../desktop/connections/target-guard.ts";
import { RefusedError } from "../desktop/error.ts";

const MOST_SCRIPT_BYTES = 1024 * 1024;
const MOST_REDIRECTS = 5;
const WITHIN_MS = 15_000;

/**
 * The text of a script, fetched by this server so that no policy of a page stands in the way. Each address on the way,
 * redirects too, is judged as targets are, and connected to as it was judged. Rejects with LinkError target_forbidden or
 * unreachable, or RefusedError.
 */
export async function fetchScript(address: string, reach: TargetReach, signal: AbortSignal): Promise<string> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]);
  let url = webUrl(address);
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const answer = await ask(url, reach, within);
    const { statusCode = 0, headers } = answer;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      answer.destroy();
      url = webUrl(URL.canParse(headers.location, url.href) ? new URL(headers.location, url).href : "");
      continue;
    }
    if (statusCode === 200) return await textOf(answer);
    answer.destroy();
    throw unfetched(`its host answered ${statusCode}, expected 200`);
  }
  throw unfetched(`it was redirected more than ${MOST_REDIRECTS} times`);
}

function webUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "")
    return url;
  throw new RefusedError(
    "invalid_parameters",
    "script_url: expected an address of http or https without a user name",
  );
}

async function ask(url: URL, reach: TargetReach, signal: AbortSignal): Promise<IncomingMessage> {
  const isSecure = url.protocol === "https:";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = Number(url.port || (isSecure ? 443 : 80));
  const judged = await guardTarget({ protocol: "http", host, port }, reach);
  return await new Promise((resolve, reject) => {
    const request = (isSecure ? httpsRequest : httpRequest)(url, {
      signal,
      agent: false,
      headers: { accept: "text/javascript, application/javascript, */*;q=0.1" },
      // INVARIANT: what was judged is what is connected to; the name is not looked up again.
      lookup: (_host, options, found) => {
        if (options.all) found(null, [judged]);
        else found(null, judged.address, judged.family);
      },
    });
    request.once("response", resolve);
    request.once("error", (cause) => reject(unfetched(cause.message, cause)));
    request.end();
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      bytes += chunk.length;
      if (bytes > MOST_SCRIPT_BYTES) {
        throw new RefusedError("invalid_parameters", `the script is longer than ${MOST_SCRIPT_BYTES} bytes`);
      }
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    throw unfetched("its host broke off", error);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function unfetched(why: string, cause?: unknown): RefusedError {
  return new RefusedError("not_found", `the script could not be fetched: ${why}`, { cause });
}
