import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { pipeline } from "node:stream";
import t from "tap";
import { createWebSocketStream, WebSocketServer } from "ws";
import { freePort } from "../../support/free-port.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { accessibilityFaults, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { rawUpdateHeader, startFakeTarget } from "../hostile/fake-target.ts";

// The add dialog's fields for the few: headers of the WebSocket's request, and the encoding to ask for, as they
// arrive at a target.

const ZRLE = 16;

t.test("a person adds a desktop behind a web server of its own wishes", { timeout: 180_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const asked: number[] = [];
  const target = await startFakeTarget(t, async (wire) => {
    await wire.shakeHands(64, 48);
    await wire.read(20); // SetPixelFormat
    const count = (await wire.read(4)).readUInt16BE(2);
    const numbers = await wire.read(4 * count);
    asked.splice(0, asked.length, ...Array.from({ length: count }, (_, i) => numbers.readInt32BE(4 * i)));
    await wire.nextRequest();
    await wire.write(Buffer.concat([rawUpdateHeader(0, 0, 64, 48), Buffer.alloc(64 * 48 * 4, 0x55)]));
    for (;;) await wire.nextRequest();
  });
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer().listen(0, "127.0.0.1");
  const sockets = new WebSocketServer({ server, handleProtocols: () => "binary" });
  sockets.on("connection", (socket, { headers }) => {
    heard.push(headers);
    const stream = createWebSocketStream(socket);
    // Either end may go first, in any way: the other one follows.
    pipeline(stream, connect(target, "127.0.0.1"), stream, () => undefined);
  });
  await once(server, "listening");
  t.teardown(() => {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a server without a port");

  const appliance = await Appliance.start(t);
  const browser = await openBrowser(t);
  for (const colorScheme of ["light", "dark"] as const) {
    await t.test(colorScheme, async (t) => {
      const { context, page, complaints } = await signIn(browser, appliance, { colorScheme });
      await page.getByRole("button", { name: "Add desktop" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.locator("[name=host]").fill("127.0.0.1");
      await dialog.locator("[name=port]").fill(`${address.port}`);
      await dialog.locator("[name=name]").fill(`behind ${colorScheme}`);
      await dialog.getByText("Connection and security").click();
      await dialog.getByLabel("How to get there").selectOption("ws");
      await dialog.getByLabel("Picture encoding").selectOption("zrle");
      const headers = dialog.getByLabel("More headers of the request");
      await headers.fill("no header");
      const add = dialog.getByRole("button", { name: "Add desktop" });
      await add.click();
      t.match(
        await page.evaluate<string>("document.querySelector('[name=http_headers]').validationMessage"),
        /a header a line/,
        "a line that is no header is not sent",
      );
      await headers.fill(`X-Desk: ${colorScheme}\nX-Other: 2`);
      t.same(await accessibilityFaults(page, "dialog"), []);
      const folder = process.env["OC_SCREENSHOTS"];
      if (folder !== undefined) await page.screenshot({ path: `${folder}/add-${colorScheme}.png` });
      await add.click();
      await dialog.waitFor({ state: "hidden" });
      await until("the target's picture", async () => {
        const list = await (await appliance.fetch("/api/v1/desktops")).text();
        return list.includes(`behind ${colorScheme}`) && asked.length > 0;
      });
      t.match(heard.at(-1), { "x-desk": colorScheme, "x-other": "2" });
      t.equal(asked[0], ZRLE, "what was chosen comes first");
      t.notOk(asked.includes(7), "and nothing else is asked for");
      t.same(complaints, []);
      asked.length = 0;
      await context.close();
    });
  }
});

t.test("the add dialog says what it knows, of what is written in it", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["chromium"])) return;
  const appliance = await Appliance.start(t);
  const browser = await openBrowser(t);
  const nobody = await freePort();
  for (const width of [1440, 360]) {
    await t.test(`${width} px wide`, async (t) => {
      const { context, page, complaints } = await signIn(browser, appliance, {
        viewport: { width, height: 800 },
      });
      await page.getByRole("button", { name: "Add desktop" }).click();
      const dialog = page.getByRole("dialog");
      const port = dialog.locator("[name=port]");
      const wide = (): Promise<number> =>
        page.evaluate<number>(
          "document.querySelector('dialog').scrollWidth - document.querySelector('dialog').clientWidth",
        );
      await dialog.locator("[name=host]").fill("127.0.0.1");
      await port.fill(`${nobody}`);
      await dialog.getByRole("button", { name: "Test" }).click();
      const result = dialog.locator(".result-bad");
      await result.waitFor();
      t.match(await result.innerText(), /nothing listens on that port: check/i);
      t.ok(await result.getByRole("button", { name: "Copy details" }).isVisible());
      await port.fill("5901");
      await result.waitFor({ state: "detached" });

      await dialog.getByText("Connection and security").click();
      for (const [way, usual] of [
        ["ws", "6080"],
        ["repeater", "5901"],
        ["reverse", "5500"],
        ["", "5900"],
      ] as const) {
        await dialog.getByLabel("How to get there").selectOption(way);
        t.equal(await port.getAttribute("placeholder"), usual);
      }
      await dialog.getByLabel("How to get there").selectOption("unix");
      t.equal(await port.count(), 0, "a socket has neither host nor port");

      await dialog.getByLabel("Protocol").selectOption("rdp");
      await dialog.locator("[name=host]").fill("127.0.0.1");
      await dialog.getByText("Screens, keyboard and security").click();
      const keyboard = dialog.getByLabel("Keyboard of the host");
      t.equal(await keyboard.inputValue(), "", "none is asked for, unless chosen");
      t.match(await keyboard.locator("option:checked").textContent(), /English \(United States\)/);
      t.same(await accessibilityFaults(page, "dialog"), []);
      t.equal(await wide(), 0, "nothing is cut");
      await dialog.getByRole("button", { name: "Test" }).click();
      t.equal(
        await page.evaluate<string>("document.activeElement.name"),
        "username",
        "an account is asked for before anything is sent",
      );
      t.same(complaints, []);
      await context.close();
    });
  }
});
