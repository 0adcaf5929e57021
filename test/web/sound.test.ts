import t from "tap";
import { until } from "../support/until.ts";
import { openHouse, SocketPeer, upgradeStatus } from "./fake-house.ts";

t.test("people hear what a desktop plays while their socket is open, agents never", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const url = `ws://${host}/ws/desktops/d1/sound`;
  t.equal(await upgradeStatus(url, house.bearer("agent")), 403, "masks hide nothing of what is heard");
  t.equal(await upgradeStatus(url, {}), 401);
  t.equal(await upgradeStatus(`ws://${host}/ws/desktops/none/sound`, house.bearer("viewer")), 404);
  const { targetSound, calls } = house.desktops.get("d1");
  targetSound.offered();
  t.same(calls, [], "nobody listens, nothing is asked of the target");
  const peers = (["viewer", "operator"] as const).map((role) => new SocketPeer(t, url, house.bearer(role)));
  const heard = peers.map(
    (peer) => new Promise((resolve) => peer.socket.once("message", (data) => resolve(data))),
  );
  await Promise.all(peers.map(({ opened }) => opened));
  t.same(calls, ["listen on"], "asked once");
  targetSound.played(Uint8Array.of(1, 2, 3, 4));
  for (const samples of await Promise.all(heard)) t.same(samples, Buffer.from([1, 2, 3, 4]));
  for (const peer of peers) peer.socket.close();
  await Promise.all(peers.map(({ closed }) => closed));
  await until("the last one is gone", () => calls.length > 1);
  t.same(calls, ["listen on", "listen off"]);
  t.match(
    house.audited.filter(({ action }) => action === "sound").map(({ type }) => type),
    ["viewer.joined", "viewer.joined", "viewer.left", "viewer.left"],
  );
});

t.test("a desktop that is removed ends its sound; one that has none says so", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  house.desktops.open("d2");
  const peer = new SocketPeer(t, `ws://${host}/ws/desktops/d2/sound`, house.bearer("viewer"));
  await peer.opened;
  const info = async (): Promise<unknown> =>
    (await house.app.inject({ url: "/api/v1/desktops/d2", headers: house.bearer("viewer") })).json();
  t.match(await info(), { has_sound: false });
  house.desktops.get("d2").targetSound.offered();
  t.match(await info(), { has_sound: true });
  await house.desktops.remove("d2");
  t.equal(await peer.closed, 1001);
});
