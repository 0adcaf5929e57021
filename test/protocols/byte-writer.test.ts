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
