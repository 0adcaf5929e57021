import { once } from "node:events";
import t from "tap";
import { PipeEnd } from "../../src/demo/pipe.ts";

t.test("bytes arrive in order, after the writer has returned", async (t) => {
  const [near, far] = PipeEnd.pair();
  let got = "";
  far.on("data", (chunk: Buffer) => {
    got += chunk.toString();
  });
  near.write("one ");
  near.write("two");
  t.equal(got, "");
  near.end();
  await once(far, "end");
  t.equal(got, "one two");
});

t.test("a reader that does not read holds the writer back", async (t) => {
  const [near, far] = PipeEnd.pair();
  const chunk = Buffer.alloc(1024);
  let written = 0;
  while (near.write(chunk)) written++;
  t.ok(written < 1024, "the buffer is bounded");
  far.resume();
  await once(near, "drain");
  t.ok(near.write(chunk));
});

t.test("the end of one is the end of the other, after what was written", async (t) => {
  const [near, far] = PipeEnd.pair();
  far.write("last");
  await new Promise((resolve) => process.nextTick(resolve));
  far.destroy();
  const chunks: Buffer[] = [];
  near.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(near, "close");
  t.equal(Buffer.concat(chunks).toString(), "last");
  t.ok(near.destroyed);
});

t.test("a writer that was held back is released when the reader goes", async (t) => {
  const [near, far] = PipeEnd.pair();
  while (near.write(Buffer.alloc(4096))) {
    // Fill it.
  }
  near.resume();
  far.destroy();
  await once(near, "close");
  t.ok(near.destroyed);
});
