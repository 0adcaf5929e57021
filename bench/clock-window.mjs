// `clock-window.mjs X Y`: a window on the X display that shows the time as cells, 25 times a second. Speaks X11 itself, so
// that nothing lies between the clock that it reads and the request that draws it.
import { createConnection } from "node:net";

const [x = 0, y = 0] = process.argv.slice(2).map(Number);
const COLUMNS = 20;
const CELL = 16;
const EVERY_MS = 40;
const WHITE = 0xffffff;
const BLACK = 0;

const number = Number(process.env["DISPLAY"]?.split(":")[1]?.split(".")[0]);
const socket = createConnection(`/tmp/.X11-unix/X${number}`);
socket.write(Buffer.from([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]));

let received = Buffer.alloc(0);
let isReady = false;
socket.on("data", (chunk) => {
  if (isReady) {
    const [kind, code] = chunk;
    if (kind === 0) throw new Error(`the X server answers with error ${code}`);
    return;
  }
  received = Buffer.concat([received, chunk]);
  if (received.length < 8 || received.length < 8 + 4 * received.readUInt16LE(6)) return;
  if (received[0] !== 1) throw new Error("the X server takes no connection");
  isReady = true;
  open(received);
});

/** By the server's answer, as X11's protocol 11.0 has it. */
function open(setup) {
  const window = setup.readUInt32LE(12);
  const gc = window + 1;
  const screen = 40 + 4 * Math.ceil(setup.readUInt16LE(24) / 4) + 8 * setup.readUInt8(29);
  const root = setup.readUInt32LE(screen);
  // Black behind, and no window manager has a say in it.
  const create = [window, root, pair(x, y), pair(COLUMNS * CELL, 2 * CELL), 0, 0, 0x202, BLACK, 1];
  request(1, create);
  request(8, [window]);
  request(55, [gc, window, 0]);
  setInterval(() => draw(window, gc), EVERY_MS);
}

/** A bit a column, the highest first; below each its opposite, so that a picture of two times is none. */
function draw(window, gc) {
  const nowMs = Date.now() % 2 ** COLUMNS;
  const cells = { [WHITE]: [], [BLACK]: [] };
  for (let column = 0; column < COLUMNS; column++) {
    const isSet = ((nowMs >> (COLUMNS - 1 - column)) & 1) === 1;
    for (const row of [0, 1]) {
      const colour = isSet === (row === 0) ? WHITE : BLACK;
      cells[colour].push(pair(column * CELL, row * CELL), pair(CELL, CELL));
    }
  }
  socket.cork();
  for (const colour of [WHITE, BLACK]) {
    request(56, [gc, 4, colour]);
    request(70, [window, gc, ...cells[colour]]);
  }
  socket.uncork();
}

function request(opcode, words) {
  const bytes = Buffer.alloc(4 + 4 * words.length);
  bytes.writeUInt8(opcode);
  bytes.writeUInt16LE(1 + words.length, 2);
  for (const [nth, word] of words.entries()) bytes.writeUInt32LE(word, 4 + 4 * nth);
  socket.write(bytes);
}

/** Two numbers of 16 bits in a word. */
function pair(low, high) {
  return low + high * 2 ** 16;
}
