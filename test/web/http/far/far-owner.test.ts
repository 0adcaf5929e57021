import { once } from "node:events";
import { Agent } from "node:https";
import t from "tap";
import { CALL_HEADER } from "../../../../src/cluster/calls/call.ts";
import type { NodeRecord } from "../../../../src/cluster/nodes/records.ts";
import { farOwner } from "../../../../src/web/cascade/far-owner.ts";
import { FakeClock } from "../../../fake-clock.ts";

const ANN = { id: "t1", name: "Ann", role: "operator" } as const;

/** As whom a node is asked to show a VNC viewer its desktop. */
async function callerOf(changes: Partial<NodeRecord>): Promise<unknown> {
  const node: NodeRecord = {
    ...{ id: "b-1", nth: 1, name: "b", address: "http://b.test", calls: "127.0.0.1:1", leaseMs: 3500 },
    offer: { cores: 1, memoryMib: 1, links: 1, zones: ["z"], isDraining: false },
    ...changes,
  };
  let caller: unknown = null;
  const calls = {
    socketTo(_node: NodeRecord, _path: string, as: unknown) {
      caller = as;
      return {
        url: "wss://127.0.0.1:1/",
        options: { agent: new Agent(), headers: { [CALL_HEADER]: "" } },
        hold: () => () => undefined,
      };
    },
  };
  const stream = farOwner(calls, node, new FakeClock()).open("/ws/desktops/d1", { ...ANN, door: "vnc" });
  // Nobody listens there.
  await once(stream, "error");
  return caller;
}

t.test("a node of a version before is told of a VNC viewer as of another one", async (t) => {
  t.same(await callerOf({ isLenient: true }), { ...ANN, door: "vnc" });
  t.same(await callerOf({}), ANN, "which it would refuse otherwise");
});
