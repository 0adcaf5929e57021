// A link of ours to an RDP host and its thread, built as the server is (bench/rdp.ts), in a process of their own whose CPU can be read: says
// when the whole picture is there, then follows the host until it is ended. Arguments: port, fingerprint, user, password, width, height, and a file with
// the pixels that the screen shows (RGBA), or "" for none.
import { readFileSync } from "node:fs";
import { openTargetLink } from "../src/appliance/open-links.ts";
import { makeConnection } from "../src/desktop/connections/connection.ts";
import { systemClock } from "../src/platform/clock.ts";

const [port, fingerprint = "", username = "", password = "", width, height, file = ""] =
  process.argv.slice(2);

/** Every so many pixels one is compared while updates come, so that comparing is not what is measured. */
const STEP = 251;

const wanted = file === "" ? null : readFileSync(file);
const startedAt = performance.now();
let readyAt = 0;
let updates = 0;
let isWhole = wanted === null;

// As the product opens it: its socket and its decoder in a thread, under the same trust.
const connection = makeConnection(
  {
    protocol: "rdp",
    host: "127.0.0.1",
    port: Number(port),
    username,
    password,
    fingerprint,
    rdp: { width: Number(width), height: Number(height) },
  },
  systemClock.date(),
);
const link = openTargetLink(connection, [], { trust: "ca", known: null });

function isThere(step) {
  const { bytes } = link.framebuffer;
  if (wanted === null || bytes.length !== wanted.length) return false;
  for (let i = 0; i < wanted.length; i += 4 * step) {
    if (bytes[i] !== wanted[i] || bytes[i + 1] !== wanted[i + 1] || bytes[i + 2] !== wanted[i + 2])
      return false;
  }
  return true;
}

const ignore = () => {};

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
