/** One black picture of 16x16: what a browser that says that it decodes H.264 is tried with (Firefox bug 1932392). */
const PROBE = Buffer.from(
  "000000016742c01fd91ec044000003000400000300c83c60c9200000000168cb83cb200000016588840af2628000a7be",
  "hex",
).toString("base64");

/**
 * noVNC's decoder of encoding 50 for the pictures that our server sends: each is one, the first of a film is a key
 * picture, and all are of one profile and level. noVNC's own is four times as much to load, and keeps the first picture
 * of a desktop waiting for its probe; here `fit` answers no until the probe is over, and then calls. A decoder lasts as
 * long as the place of its film: `scanRenderQ` waits for pictures that it has not given.
 */
export const FILM_DECODER = `
const open = (codec, output, error) => {
  const decoder = new VideoDecoder({ output, error });
  decoder.configure({ codec, optimizeForLatency: true });
  return decoder;
};
let count = 0;
const chunk = (type, data) => new EncodedVideoChunk({ type, data, timestamp: count++ });
let isFit = false;
const probed = (async () => {
  let isSeen = false;
  const decoder = open("avc1.42c01f", (frame) => {
    isSeen = true;
    frame.close();
  }, () => {});
  decoder.decode(chunk("key", Uint8Array.from(atob("${PROBE}"), (c) => c.charCodeAt(0))));
  await decoder.flush();
  decoder.close();
  isFit = isSeen;
})().catch(() => {});

export default class H264Decoder {
  #films = new Map();
  static fit(later) {
    if (!isFit) probed.then(() => isFit && later());
    return isFit;
  }
  decodeRect(x, y, width, height, sock, display) {
    if (sock.rQwait("", 8)) return false;
    const length = sock.rQshift32();
    const flags = sock.rQshift32();
    if (sock.rQwait("", length, 8)) return false;
    const place = [x, y, width, height].join();
    const film = this.#films.get(place) ?? this.#open(sock);
    this.#films.delete(place);
    this.#films.set(place, film);
    const picture = { ready: false };
    picture.promise = new Promise((resolve) => film.waiting.push((frame) => {
      picture.frame = frame;
      picture.ready = true;
      resolve();
    }));
    film.decoder.decode(chunk(flags & 1 ? "key" : "delta", sock.rQshiftBytes(length)));
    display.videoFrame(x, y, width, height, picture);
    return true;
  }
  #open(sock) {
    for (const [place, { decoder }] of this.#films) {
      if (this.#films.size < 4) break;
      decoder.close();
      this.#films.delete(place);
    }
    const waiting = [];
    const decoder = open("avc1.42c033", (frame) => waiting.shift()(frame), () => {
      isFit = false;
      sock.close();
    });
    return { decoder, waiting };
  }
}
`;
