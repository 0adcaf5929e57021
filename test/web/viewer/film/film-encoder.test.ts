import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { systemClock } from "../../../../src/platform/clock.ts";
import { FilmEncoder, tryFilmEncoder } from "../../../../src/web/viewer/film/film-encoder.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { until } from "../../../support/until.ts";

const SIZE = { width: 160, height: 96 };

/** A grey of its own for each number, left half darker. */
function pictureOf(number: number): Uint8Array {
  const rgba = new Uint8Array(SIZE.width * SIZE.height * 4).fill(255);
  for (let at = 0; at < rgba.length; at += 4) {
    const isLeft = (at / 4) % SIZE.width < SIZE.width / 2;
    rgba.fill(isLeft ? 40 : 60 + number * 20, at, at + 3);
  }
  return rgba;
}

/** The kinds of the NAL units in a byte stream. */
function kindsOf(stream: Uint8Array): number[] {
  const kinds: number[] = [];
  for (let at = 0; at + 4 < stream.length; at++) {
    if (stream[at] === 0 && stream[at + 1] === 0 && stream[at + 2] === 0 && stream[at + 3] === 1)
      kinds.push((stream[at + 4] ?? 0) & 0x1f);
  }
  return kinds;
}

t.test("each picture comes at once, one slice each, and shows what was put", async (t) => {
  const pictures: Uint8Array[] = [];
  const encoder = new FilmEncoder(
    {
      clock: systemClock,
      program: "ffmpeg",
      encoded: (picture) => pictures.push(picture),
      failed: (error) => t.fail(error.message),
    },
    SIZE,
  );
  t.teardown(() => encoder.close());
  for (let number = 0; number < 8; number++) {
    encoder.put(pictureOf(number));
    t.equal(encoder.waiting, 1);
    // Nothing but this one was put: none may be needed to get it.
    await until(`picture ${number}`, () => pictures.length === number + 1);
  }
  t.same(pictures.map(kindsOf), [[7, 8, 5], ...Array.from({ length: 7 }, () => [1])]);
  // Baseline, level 5.1: noVNC takes one profile and level for all.
  const sps = pictures[0]?.subarray(5, 8);
  t.same([sps?.[0], sps?.[2]], [66, 51]);
  const shown = execFileSync(
    "ffmpeg",
    ["-loglevel", "error", "-f", "h264", "-i", "pipe:0", "-f", "rawvideo", "-pix_fmt", "rgba", "pipe:1"],
    { input: Buffer.concat(pictures) },
  );
  const { width, height } = SIZE;
  t.equal(shown.length, 8 * width * height * 4);
  for (let number = 0; number < 8; number++) {
    const row = number * width * height * 4 + (height / 2) * width * 4;
    const grey = (x: number): number => shown[row + x * 4] ?? 0;
    t.ok(Math.abs(grey(20) - 40) <= 4, `left of ${number}: ${grey(20)}`);
    t.ok(Math.abs(grey(140) - (60 + number * 20)) <= 4, `right of ${number}: ${grey(140)}`);
  }
});

t.test("a program that is not there, ends, writes something else, or hangs is told", async (t) => {
  const dir = t.testdir();
  const script = (name: string, body: string): string => {
    const path = join(dir, name);
    writeFileSync(path, `#!/bin/sh\n${body}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  await t.rejects(tryFilmEncoder(join(dir, "none"), systemClock), { message: /could not be started/ });
  await t.rejects(tryFilmEncoder("not\0one", systemClock), { message: /could not be started/ });
  await t.rejects(tryFilmEncoder(script("ends", "exit 3"), systemClock), { message: /status 3/ });
  const other = script("other", "echo something that is no film at all; sleep 60");
  await t.rejects(tryFilmEncoder(other, systemClock), { message: "expected FLV, got another format" });
  const clock = new FakeClock();
  const tried = tryFilmEncoder(script("hangs", "exec sleep 60"), clock);
  clock.advance(16_000);
  await t.rejects(tried, { message: "the encoder gave no picture in 15000 ms" });
  t.equal(clock.waiting, 0, "no timer stays");
  await tryFilmEncoder("ffmpeg", systemClock);
});
