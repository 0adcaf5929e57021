// A link of ours to an RDP host, in a process of its own whose CPU can be read: says when the whole picture is there,
// then follows the host until it is ended. Arguments: port, fingerprint, user, password, width, height, and a file with
// the pixels that the screen shows (RGBA), or "" for none.
import { readFileSync } from "node:fs";
import { systemClock } from "../src/desktop/clock.ts";
import { RdpLink } from "../src/desktop/links/rdp-link.ts";
import { TcpStream } from "../src/desktop/links/tcp-stream.ts";
import { TargetTrust } from "../src/desktop/trust.ts";

const [port, fingerprint = "", username = "", password = "", width, height, file = ""] =
  process.argv.slice(2);
const host = "127.0.0.1";

/** Every so many pixels one is compared while updates come, so that comparing is not what is measured. */
const STEP = 251;

const wanted = file === "" ? null : readFileSync(file);
const startedAt = performance.now();
let readyAt = 0;
let updates = 0;
let isWhole = wanted === null;

const link = new RdpLink(
  {
    connect: () => new TcpStream(host, Number(port), []),
    host,
    trust: new TargetTrust({ host, port: Number(port), fingerprint }, "ca", null),
    username,
    password,
    size: { width: Number(width), height: Number(height) },
  },
  systemClock,
);

function isThere(step: number): boolean {
  const { bytes } = link.framebuffer;
  if (wanted === null || bytes.length !== wanted.length) return false;
  for (let i = 0; i < wanted.length; i += 4 * step) {
    if (bytes[i] !== wanted[i] || bytes[i + 1] !== wanted[i + 1] || bytes[i + 2] !== wanted[i + 2])
      return false;
  }
  return true;
}

const ignore = (): void => {};

link.open({
  ready: () => {
    readyAt = performance.now();
    process.stdout.write("ready\n");
  },
  update: () => {
    updates++;
    if (isWhole || !isThere(STEP)) return;
    const at = performance.now();
    if (!isThere(1)) return;
    isWhole = true;
    process.stdout.write(`whole ${at - startedAt} ${at - readyAt} ${updates}\n`);
  },
  closed: (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
  resize: ignore,
  cursor: ignore,
  clipboard: ignore,
  name: ignore,
  bell: ignore,
  stalled: ignore,
  step: ignore,
});
