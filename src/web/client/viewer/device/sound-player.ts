import { below } from "../../shell/base-path.ts";

/** As `GET /ws/desktops/:id/sound` sends it. */
const RATE = 44_100;
const CHANNELS = 2;
/** How long a sound waits after a pause, so that the next ones come in time. */
const LEAD_S = 0.1;
/** More than this is waiting: the line was away, and the person hears what is played now. */
const MAX_WAITING_S = 0.5;

const AGAIN_MS = 2000;

/** Plays what a desktop plays, also after the line was lost. Ends by the returned function. */
export function playSound(desktopId: string): () => void {
  const context = new AudioContext({ sampleRate: RATE });
  const url = new URL(below(`/ws/desktops/${encodeURIComponent(desktopId)}/sound`), location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  let socket: WebSocket | null = null;
  let timer: number | undefined;
  let nextS = 0;

  const play = (data: ArrayBuffer): void => {
    const samples = new Int16Array(data, 0, data.byteLength >> 1);
    const frames = Math.floor(samples.length / CHANNELS);
    if (frames === 0 || nextS > context.currentTime + MAX_WAITING_S) return;
    const buffer = context.createBuffer(CHANNELS, frames, RATE);
    for (let channel = 0; channel < CHANNELS; channel++) {
      const to = buffer.getChannelData(channel);
      for (let i = 0; i < frames; i++) to[i] = (samples[i * CHANNELS + channel] ?? 0) / 32_768;
    }
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(context.destination);
    if (nextS < context.currentTime) nextS = context.currentTime + LEAD_S;
    source.start(nextS);
    nextS += frames / RATE;
  };
  const connect = (): void => {
    const made = new WebSocket(url);
    socket = made;
    made.binaryType = "arraybuffer";
    made.addEventListener("message", ({ data }: MessageEvent<ArrayBuffer>) => play(data));
    made.addEventListener("close", () => {
      if (socket === made) timer = setTimeout(connect, AGAIN_MS);
    });
  };
  connect();
  return () => {
    clearTimeout(timer);
    const last = socket;
    socket = null;
    last?.close(1000);
    void context.close();
  };
}
