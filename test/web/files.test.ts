import t from "tap";
import type { FilesInfo, SendingInfo } from "../../src/web/api/files/files-api.ts";
import { until } from "../support/until.ts";
import { openHouse } from "./fake-house.ts";

const url = "/api/v1/desktops/d1/files";
const SECRET = "salaries of all.txt";

t.test("people with the permission send files part by part, and take them back", async (t) => {
  const house = await openHouse(t);
  const headers = house.bearer("operator");
  const desktop = house.desktops.get("d1");
  t.teardown(() => desktop.desktopFiles.close());
  const begin = (files: unknown) => house.app.inject({ method: "POST", url, headers, payload: { files } });
  t.equal((await begin([{ name: "a", size: 1 }])).statusCode, 422, "no target that takes files");
  desktop.desktopFiles.hear({ kind: "able" });
  for (const name of ["a/b", "a\\b", "..", "", "a\nb", "a\ud800b", "x".repeat(300)]) {
    const answer = await begin([{ name, size: 1 }]);
    t.equal(answer.statusCode, 400, JSON.stringify(name));
    t.notOk(name.length > 2 && answer.body.includes(name), "not in the message");
  }
  t.equal((await begin([])).statusCode, 400);
  t.equal((await begin([{ name: "large", size: 2 ** 40 }])).statusCode, 400, "before a byte of it is taken");
  t.equal((await begin(Array.from({ length: 101 }, () => ({ name: "a", size: 0 })))).statusCode, 400);

  const begun = await begin([
    { name: SECRET, size: 5 },
    { name: 'what?".txt ', size: 0 },
  ]);
  t.equal(begun.statusCode, 201);
  const { id } = begun.json() as SendingInfo;
  const part = (offset: number, payload: string, index = 0, by = headers) =>
    house.app.inject({
      ...{ method: "PUT", url: `${url}/${id}/${index}?offset=${offset}`, payload },
      headers: { ...by, "content-type": "application/octet-stream" },
    });
  t.match((await part(0, "he")).json(), { is_offered: false, files: [{ received: 2 }, { received: 0 }] });
  t.equal((await part(0, "he")).statusCode, 400, "twice");
  t.equal((await part(2, "llo!")).statusCode, 400, "more than it was said to have");
  t.equal((await part(0, "x", 2)).statusCode, 404, "no such file");
  t.equal((await part(2, "llo", 0, house.bearer("admin"))).statusCode, 404, "another person's");
  t.same(desktop.fileCommands, [], "nothing is offered before all of it is here");
  t.match((await part(2, "llo")).json(), { is_offered: true, files: [{ received: 5, taken: 0 }, {}] });
  t.same(desktop.fileCommands.splice(0), [
    {
      ...{ kind: "offer", offer: 1 },
      files: [
        { name: SECRET, size: 5 },
        { name: "what__.txt_", size: 0 },
      ],
    },
  ]);
  const deleted = await house.app.inject({ method: "DELETE", url: `${url}/${id}`, headers });
  t.equal(deleted.statusCode, 204);
  t.same(desktop.fileCommands, [{ kind: "offer", offer: 0, files: [] }], "nothing is offered any more");
  t.equal((await part(5, "")).statusCode, 404);
  t.match(
    house.audited
      .filter(({ type }) => type === "files.sent")
      .map(({ counts, errorCode }) => [counts, errorCode]),
    [
      [{ files: 1, bytes: 1 }, "not_supported"],
      ...Array.from({ length: 10 }, () => [{}, "invalid_parameters"]),
      [{ files: 2, bytes: 5 }, undefined],
    ],
  );
  t.notOk(JSON.stringify(house.audited).includes("salaries"), "of names nothing is written down");
});

t.test(
  "no masks hide anything of a file: people take what was copied, agents, viewers and guests of any kind have none of it",
  async (t) => {
    const house = await openHouse(t);
    const headers = house.bearer("admin");
    const { desktopFiles, fileCommands } = house.desktops.get("d1");
    t.teardown(() => desktopFiles.close());
    for (const role of ["agent", "viewer", "approver"] as const) {
      for (const path of [url, `${url}/copied/1/0`]) {
        t.equal((await house.app.inject({ url: path, headers: house.bearer(role) })).statusCode, 403, role);
      }
    }
    desktopFiles.hear({ kind: "able" });
    desktopFiles.hear({
      ...{ kind: "copied", list: 1 },
      files: [
        { path: "folder", size: null, isFolder: true },
        { path: "folder\\..\\\u202etxt.exe\n", size: 5, isFolder: false },
        { path: "..", size: 3, isFolder: false },
      ],
    });
    const info = (await house.app.inject({ url, headers })).json() as FilesInfo;
    t.same(info.copied.files, [
      { index: 1, name: "_txt.exe_", folder: "folder/..", size: 5 },
      { index: 2, name: "file", folder: "", size: 3 },
    ]);
    const taking = house.app.inject({ url: `${url}/copied/1/1`, headers });
    const answer = async (text: string | null): Promise<void> => {
      while (fileCommands.length === 0) await new Promise((resolve) => setImmediate(resolve));
      const command = fileCommands.shift();
      if (command?.kind !== "read") throw new Error("another command");
      t.ok(command.bytes <= 5);
      desktopFiles.hear({ kind: "read", id: command.id, bytes: text === null ? null : Buffer.from(text) });
    };
    await answer("he");
    await answer("llo");
    const taken = await taking;
    t.equal(taken.body, "hello");
    t.match(taken.headers, { "content-length": "5", "content-disposition": /filename="_txt.exe_"/ });
    const refused = house.app.inject({ url: `${url}/copied/1/2`, headers });
    await answer(null);
    t.equal((await refused).statusCode, 502, "the desktop does not give it");
    for (const path of ["1/0", "1/9", "2/1"]) {
      t.equal((await house.app.inject({ url: `${url}/copied/${path}`, headers })).statusCode, 404, path);
    }
    desktopFiles.hear({ kind: "copied", list: 2, files: null });
    t.match((await house.app.inject({ url, headers })).json(), { copied: { is_too_many: true, files: [] } });
    desktopFiles.lost();
    t.match((await house.app.inject({ url, headers })).json(), {
      is_able: false,
      copied: { is_too_many: false },
    });
    t.match(
      house.audited.filter(({ type }) => type === "files.taken").map(({ errorCode }) => errorCode),
      [undefined, "refused", "not_found", "not_found", "not_found"],
    );
  },
);

t.test("a desktop says whether it has files", async (t) => {
  const house = await openHouse(t);
  const desktop = house.desktops.get("d1");
  const info = async () =>
    (await house.app.inject({ url: "/api/v1/desktops/d1", headers: house.bearer("viewer") })).json();
  t.match(await info(), { protocol: "vnc", has_files: false });
  desktop.connection = { ...desktop.connection, protocol: "rdp" };
  t.match(await info(), { protocol: "rdp", has_files: false }, "off until it is said");
  desktop.connection = { ...desktop.connection, files: "on" };
  t.match(await info(), { has_files: true });
  desktop.connection = { ...desktop.connection, protocol: "vnc" };
  t.match(await info(), { has_files: false }, "where the protocol carries them");
});

t.test("who ends a download early has taken no whole file, and the log says so", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const { desktopFiles, fileCommands } = house.desktops.get("d1");
  t.teardown(() => desktopFiles.close());
  desktopFiles.hear({ kind: "able" });
  const size = 256 * 1024 * 1024;
  desktopFiles.hear({ kind: "copied", list: 1, files: [{ path: "large", size, isFolder: false }] });
  let isDone = false;
  t.teardown(() => {
    isDone = true;
  });
  // The desktop gives whatever is asked, so that the download waits for its reader.
  const giving = (async () => {
    while (!isDone) {
      const command = fileCommands.shift();
      if (command?.kind === "read")
        desktopFiles.hear({ kind: "read", id: command.id, bytes: new Uint8Array(command.bytes) });
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const taken = () => house.audited.filter(({ type }) => type === "files.taken");
  for (const turn of [1, 2]) {
    const stop = new AbortController();
    const answer = await fetch(`http://${host}${url}/copied/1/0`, {
      ...{ headers: house.bearer("operator"), signal: stop.signal },
    });
    const reader = answer.body?.getReader();
    t.ok((await reader?.read())?.value?.length, "it comes");
    stop.abort();
    await until("its end", () => taken().length === 2 * turn);
  }
  for (const [begun, ended] of [taken().slice(0, 2), taken().slice(2)]) {
    t.match(begun, { counts: { files: 1, bytes: size } });
    t.notOk(begun?.errorCode);
    t.match(ended, { errorCode: "cancelled", counts: { files: 1 } });
    t.ok(Number(ended?.counts?.["bytes"]) < size, "as many bytes as were given");
  }
  // Of one desktop four are taken at once: those that were ended do not count.
  const inTurn = [1, 2, 3, 4].map(async () => {
    const stop = new AbortController();
    const { status } = await fetch(`http://${host}${url}/copied/1/0`, {
      ...{ headers: house.bearer("operator"), signal: stop.signal },
    });
    return { status, stop };
  });
  for (const { status, stop } of await Promise.all(inTurn)) {
    t.equal(status, 200);
    stop.abort();
  }
  await until("all ends", () => taken().length === 12);
  isDone = true;
  await giving;
});
