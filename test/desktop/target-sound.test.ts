import t from "tap";
import { House } from "./house.ts";

t.test(
  "a target is asked for its sound while somebody listens, and again after it was connected anew",
  async (t) => {
    const house = House.live();
    const sound = house.desktop.sound();
    const [first] = house.links;
    const heard: number[][] = [];
    first?.said.splice(0);
    const end = sound.listen((samples) => heard.push([...samples]));
    t.same(first?.said, [], "it has not said that it has any");
    first?.events.soundOffered?.();
    t.ok(sound.isOffered);
    t.same(first?.said, ["listen on"]);
    const endOther = sound.listen(() => undefined);
    t.same(first?.said, ["listen on"], "once for all");
    first?.events.sound?.(Uint8Array.of(1, 2));
    first?.events.sound?.(null);
    t.same(heard, [[1, 2]]);

    house.desktop.reconnect();
    t.notOk(sound.isOffered);
    const second = house.links[1];
    second?.goLive();
    second?.said.splice(0);
    second?.events.soundOffered?.();
    t.same(second?.said, ["listen on"]);
    second?.events.sound?.(Uint8Array.of(3));
    t.same(heard, [[1, 2], [3]]);

    end();
    end();
    t.same(second?.said, ["listen on"], "the other one still listens");
    second?.events.sound?.(Uint8Array.of(4));
    t.equal(heard.length, 2);
    endOther();
    t.same(second?.said, ["listen on", "listen off"]);
    second?.drop();
    t.notOk(sound.isOffered);
    t.same(house.bugs, []);
  },
);
