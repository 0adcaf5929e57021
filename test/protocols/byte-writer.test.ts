import t from "tap";
import { ByteQueue } from "../../src/protocols/byte-queue.ts";
import { ByteWriter } from "../../src/protocols/byte-writer.ts";

t.test("what was written is read back, wherever the memory had to grow", async (t) => {
  for (let capacity = 1; capacity < 40; capacity++) {
    const bytes = new ByteWriter(capacity)
      .u8(1)
      .u16(0x0203)
      .u32(0x04050607)
      .i16(-2)
      .i32(-3)
      .pad(3)
      .put(Uint8Array.of(9, 9))
      .ascii("aé")
      .u8(255)
      .bytes();
    const queue = new ByteQueue();
    queue.push(bytes.subarray(0, 5));
    queue.push(bytes.subarray(5));
    t.same(
      [queue.u8(), queue.u16(), queue.u32(), queue.i16(), queue.i32(), [...queue.take(7)], queue.u8()],
      [1, 0x0203, 0x04050607, -2, -3, [0, 0, 0, 9, 9, 0x61, 0x3f], 255],
    );
    t.throws(() => queue.u8(), RangeError);
    t.equal(queue.offset, bytes.length);
  }
});

t.test("a queue keeps order over any mix of pushes and reads", async (t) => {
  const queue = new ByteQueue();
  let next = 0;
  let expected = 0;
  for (let round = 0; round < 500; round++) {
    queue.push(Uint8Array.from({ length: (round * 7) % 13 }, () => next++ & 0xff));
    for (let count = (round * 5) % 11; count > 0 && queue.has(1); count--) {
      if (queue.u8() !== (expected++ & 0xff)) t.fail(`wrong byte in round ${round}`);
    }
  }
  t.equal(queue.size, next - expected);
});

t.test(
  "a chunk is read where it lies, and what it left is joined with the next one apart from it",
  async (t) => {
    const queue = new ByteQueue();
    const first = Uint8Array.of(0, 1, 2, 3, 4).subarray(1);
    queue.push(first);
    const taken = queue.take(3);
    t.equal(taken.buffer, first.buffer, "nothing was copied");
    queue.push(Uint8Array.of(5, 6));
    t.same([...first], [1, 2, 3, 4], "the chunk was not written to");
    t.same([...queue.take(3)], [4, 5, 6]);
    const last = Uint8Array.of(7);
    queue.push(last);
    t.equal(queue.take(1).buffer, last.buffer, "memory of its own is given up once all was read");
  },
);
