import t from "tap";
import { groupsOf, isFound, shortName } from "../../../../src/web/client/connections/desktop-groups.ts";
import { desktopInfo } from "../infos.ts";

const named = (name: string) => desktopInfo({ id: name, name });

t.test("a name says the group of its desktop", async (t) => {
  const names = ["z", "Office / vm 2", "Lab / a / b", "Office / vm 1", "a", " / none", "Lab / "];
  t.same(
    groupsOf(names.map(named)).map(({ name, desktops }) => [name, desktops.map(shortName)]),
    [
      [null, ["z", "a", " / none", "Lab / "]],
      ["Lab", ["a / b"]],
      ["Office", ["vm 2", "vm 1"]],
    ],
  );
  t.same(groupsOf([named("Lab / a")]).length, 1, "no group is empty");
  t.same(groupsOf([]), []);
});

t.test("a desktop is found by all words, in any order and case", async (t) => {
  const desktop = desktopInfo({
    name: "Office / build-vm",
    host: "10.0.0.7",
    port: 5901,
    agents: ["cursor"],
  });
  for (const query of ["", "  ", "vm office", "BUILD", "10.0.0.7:5901", "cursor", "vnc"])
    t.ok(isFound(desktop, query), query);
  for (const query of ["lab", "build lab"]) t.notOk(isFound(desktop, query), query);
});
