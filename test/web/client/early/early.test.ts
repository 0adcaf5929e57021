import t from "tap";

const SCRIPT = new URL("../../../../src/web/client/early/early.ts", import.meta.url).href;

const H264 = [0, 0, 0, 50];

/** Keeps what it is sent. */
class FakeSocket extends EventTarget {
  static opened: FakeSocket[] = [];
  readonly url: string;
  readonly sent: Uint8Array[] = [];

  constructor(url: string) {
    super();
    this.url = url;
    FakeSocket.opened.push(this);
  }

  send(bytes: Uint8Array): void {
    this.sent.push(bytes);
  }
}

/** The desktop's socket of a page that has just begun, and noVNC's messages as the page said them for it. */
async function begin(page: string) {
  FakeSocket.opened = [];
  const location = { origin: "http://host", pathname: "/desktops/d1", search: "" };
  Object.assign(globalThis, { WebSocket: FakeSocket, location });
  await import(`${SCRIPT}?${page}`);
  const [socket] = FakeSocket.opened;
  if (socket === undefined) throw new Error("no socket was opened");
  const said = Buffer.from(new URL(socket.url).searchParams.get("say") ?? "", "base64url");
  const handshake = [said.subarray(0, 12), said.subarray(12, 13), said.subarray(13, 14)];
  const [pixelFormat, encodings, request] = [
    said.subarray(14, 34),
    said.subarray(34, -10),
    said.subarray(-10),
  ];
  // RFC 6143 sections 7.5.2 and 7.5.3; noVNC asks for the size that it was told.
  t.equal(encodings.length, 4 /* type, padding, count */ + 4 * encodings.readUInt16BE(2));
  const sized = Buffer.concat([request.subarray(0, 6), Buffer.from([8, 32, 3, 32])]);
  const withH264 = Buffer.concat([encodings.subarray(0, 8), Buffer.from(H264), encodings.subarray(8)]);
  withH264.writeUInt16BE(encodings.readUInt16BE(2) + 1, 2);
  return { socket, handshake, pixelFormat, encodings, withH264, request: sized };
}

t.test("what noVNC says as the page did is not sent again, and all that it says then is", async (t) => {
  const { socket, handshake, pixelFormat, encodings, withH264, request } = await begin("as-said");
  for (const bytes of [...handshake, pixelFormat, encodings, request]) socket.send(bytes);
  t.same(socket.sent, []);
  socket.send(withH264);
  socket.send(request);
  t.same(socket.sent, [withH264, request]);
});

t.test("where noVNC knows of H.264 at once, that goes, and its first request does not again", async (t) => {
  const { socket, handshake, pixelFormat, withH264, request } = await begin("h264-first");
  for (const bytes of [...handshake, pixelFormat, withH264, request]) socket.send(bytes);
  t.same(socket.sent, [withH264]);
  socket.send(request);
  t.same(socket.sent, [withH264, request]);
});

t.test("once it says anything else, all that follows goes", async (t) => {
  const { socket, handshake, pixelFormat, encodings, request } = await begin("other-format");
  const other = Buffer.from(pixelFormat);
  other[4] = 16;
  for (const bytes of [...handshake, other, encodings, request]) socket.send(bytes);
  t.same(socket.sent, [other, encodings, request]);
});
