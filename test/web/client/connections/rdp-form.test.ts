import t from "tap";
import { makeConnection } from "../../../../src/desktop/connections/connection.ts";
import { editedConnection, shownConnection } from "../../../../src/desktop/connections/connection-edit.ts";
import { LAYOUTS } from "../../../../src/protocols/rdp/input/keyboard-layouts.ts";
import { connectionBodySchema, connectionEditSchema } from "../../../../src/web/api/api.ts";
import {
  connectionFromForm,
  editFromForm,
  formOf,
} from "../../../../src/web/client/connections/connection-form.ts";
import {
  KEYBOARD_OPTIONS,
  KEYBOARDS,
  rdpValues,
  screensIn,
} from "../../../../src/web/client/connections/rdp-form.ts";

const HOST = { protocol: "rdp", host: "box", username: "ada", password: "x" } as const;

const form = (fields: Readonly<Record<string, string>>) =>
  connectionBodySchema.parse(connectionFromForm(new Map(Object.entries({ ...HOST, ...fields }))));

const makeBody = (rdp: Readonly<Record<string, unknown>>) => ({ ...HOST, rdp });

t.test("what is asked of an RDP host goes from the form to the connection", async (t) => {
  const filled = {
    rdp_screens: "800x600+640+0, 640x480+0+0",
    rdp_keyboard: "1031",
    rdp_graphics: "pipeline",
    rdp_nla: "on",
  };
  const { rdp } = makeConnection(form(filled), new Date(0));
  t.same(rdp, {
    monitors: [
      { x: 640, y: 0, width: 800, height: 600 },
      { x: 0, y: 0, width: 640, height: 480 },
    ],
    graphics: "pipeline",
    require_nla: true,
    keyboard_layout: 0x407,
  });
  t.same(form({ rdp_screens: "1920x1080" }).rdp, { width: 1920, height: 1080 });
  t.notOk("rdp" in form({ rdp_screens: " ", rdp_keyboard: "", rdp_graphics: "", rdp_nla: "" }));
  t.notOk("rdp" in form({ ...filled, protocol: "vnc" }), "only RDP hosts have these");
  t.notOk("rdp" in form({ rdp_keyboard: "toString", rdp_graphics: "video", rdp_nla: "maybe" }));
});

t.test(
  "files go to a host and come from it where the form says so, and no longer where it says not",
  async (t) => {
    const added = makeConnection(form({ files: "on" }), new Date(0));
    t.equal(added.files, "on");
    const { values, kept } = formOf(shownConnection(added));
    t.equal(values["files"], "on", "an edit begins with it");
    const edit = (files: string) =>
      editedConnection(
        added,
        connectionEditSchema.parse(
          editFromForm(new Map(Object.entries({ ...HOST, ...values, files })), kept),
        ),
      );
    t.equal(edit("on").files, "on");
    t.equal(edit("off").files, "off");
    t.notOk("files" in form({ files: "maybe" }));
    t.notOk("files" in form({ files: "on", protocol: "vnc" }), "only RDP hosts have these");
  },
);

t.test("screens that cannot be read are found, and those that no host takes are refused", async (t) => {
  for (const text of ["big", "800", "800x600,640x480", "800x600+0+0,"]) t.equal(screensIn(text), null, text);
  for (const side of [199, 8193]) {
    t.equal(screensIn(`${side}x600`), null, "a side that no host is asked for");
    t.equal(screensIn(`800x600+0+0, 600x${side}+800+0`), null);
    const made = makeBody({ width: side, height: 600 });
    t.notOk(connectionBodySchema.safeParse(made).success, "nor does the server take it");
  }
  t.same(screensIn("200x8192"), { width: 200, height: 8192 });
  const made = (text: string) => makeConnection(form({ rdp_screens: text }), new Date(0));
  t.throws(() => made("800x600+0+0, 800x600+400+0"), { message: /overlap/ });
});

t.test("every keyboard of the form is one that is typed on key by key", async (t) => {
  t.same(KEYBOARDS.map(([number]) => Number(number)).sort(), [...LAYOUTS.keys()].sort());
  t.equal(
    KEYBOARDS[0][0],
    0x409,
    "the first, which is chosen where nobody chooses, is the server's default too",
  );
});

t.test("the fields put back what is asked of a host already, and nothing where nothing is", async (t) => {
  for (const rdp of [
    undefined,
    { width: 1920 },
    { height: 1080 },
    { width: 1920, height: 1080, keyboard_layout: 0x409 },
    { keyboard_layout: 0x40c, depth: 8, graphics: "bitmaps" },
  ] as const) {
    const values = rdpValues(rdp);
    t.same(form(values).rdp, rdp, JSON.stringify(rdp));
    t.ok(KEYBOARD_OPTIONS.some(([value]) => value === values["rdp_keyboard"]));
  }
  t.equal(KEYBOARD_OPTIONS[0]?.[0], "", "a new one asks for none");
  for (const text of ["x", "199x", "x8193", "1920 x"]) t.equal(screensIn(text), null, text);
});
