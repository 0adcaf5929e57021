import fc from "fast-check";
import t from "tap";
import { ByteQueue, type Parser, readOn } from "../../src/protocols/byte-queue.ts";

/** Reads records of such lengths, each when all of it is there; what is looked at is copied. */
function* readRecords(from: ByteQueue, lengths: readonly number[], records: Uint8Array[]): Parser<void> {
  for (const length of lengths) {
    while (!from.has(length)) yield length;
    records.push(Uint8Array.from(from.take(length)));
  }
}

t.test("records come as they were sent, however they are cut and in whatever memory they come", async (t) => {
  const size = fc.oneof(fc.integer({ min: 0, max: 80 }), fc.integer({ min: 0, max: 3000 }));
  fc.assert(
    fc.property(
      fc.array(size, { maxLength: 30 }),
      fc.array(size, { maxLength: 30 }),
      fc.boolean(),
      (lengths, cuts, isOverwritten) => {
        const total = lengths.reduce((sum, length) => sum + length, 0);
        const wire = Uint8Array.from({ length: total }, (_, i) => (i * 7) % 251);
        const memory = new Uint8Array(4000);
        const queue = new ByteQueue();
        // Another one takes and gives memory meanwhile.
        const other = new ByteQueue();
        const records: Uint8Array[] = [];
        const parser = readRecords(queue, lengths, records);
        let needed = readOn(parser, queue, 0);
        let at = 0;
        for (let i = 0; at < total; i++) {
          const chunk = wire.subarray(at, at + (cuts[i] ?? 1000));
          at += chunk.length;
          memory.set(chunk);
          queue.push(isOverwritten ? memory.subarray(0, chunk.length) : chunk);
          needed = readOn(parser, queue, needed);
          queue.settle();
          if (isOverwritten) memory.fill(255);
          other.push(new Uint8Array(1000).fill(254));
          other.push(new Uint8Array(1000).fill(254));
          other.skip(other.size);
          other.settle();
        }
        t.equal(queue.size, 0);
        t.equal(queue.offset, total);
        t.ok(Buffer.concat(records).equals(wire));
      },
    ),
  );
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
  "a large chunk is read where it lies, and what it left is joined with the next one apart from it",
  async (t) => {
    const queue = new ByteQueue();
    const first = Uint8Array.from({ length: 101 }, (_, i) => i).subarray(1);
    queue.push(first);
    const taken = queue.take(98);
    t.equal(taken.buffer, first.buffer, "nothing was copied");
    queue.push(Uint8Array.of(101, 102));
    t.same([first.at(-2), first.at(-1)], [99, 100], "the chunk was not written to");
    t.same([...queue.take(4)], [99, 100, 101, 102]);
    const last = new Uint8Array(100);
    queue.push(last);
    t.equal(queue.take(1).buffer, last.buffer, "memory of its own is of use to others once all was read");
  },
);

t.test("what is left of a chunk is copied when it is settled", async (t) => {
  const chunk = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
  const queue = new ByteQueue();
  queue.push(chunk);
  t.equal(queue.take(10).buffer, chunk.buffer);
  queue.settle();
  chunk.fill(0);
  t.equal(queue.u8(), 10);
  t.not(queue.take(10).buffer, chunk.buffer);
});

t.test("what is not there is not read", async (t) => {
  const queue = new ByteQueue();
  queue.push(Uint8Array.of(1, 2));
  t.equal(queue.u16(), 258);
  t.throws(() => queue.u8(), RangeError);
  t.throws(() => queue.skip(-1), RangeError);
});
