import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { WebSocketRoute } from "playwright-core";
import t from "tap";
import { hello, join, rectangle, solid, update } from "../../protocols/rfb/client/server-bytes.ts";
import { until } from "../../support/until.ts";
import { outcome, rest } from "../agents/approval-scenario.ts";
import { Appliance } from "../harness/appliance.ts";
import { accessibilityFaults, openBrowser, signIn } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { CertificateTarget } from "../hostile/certificate-target.ts";
import { onlyDesktop, viewerShot } from "./viewer-scenario.ts";

/** What of the bar lies outside the window, and what lies over another part of it. */
const BAR_FAULTS = `(() => {
  const seen = [...document.querySelectorAll(".viewer-bar > *, .viewer-bar .more > button")]
    .filter((element) => !element.matches(".more, .bar-space") && element.checkVisibility())
    .map((element) => [element.className || element.tagName, element.getBoundingClientRect()])
    .filter(([, box]) => box.width > 1);
  // Two lines, which are higher for fingers.
  const most = matchMedia("(pointer: coarse)").matches ? 108 : 90;
  const bottom = Math.min(most, document.querySelector(".viewer-bar").getBoundingClientRect().bottom);
  const out = seen.filter(([, box]) => box.left < 0 || box.right > innerWidth || box.bottom > bottom);
  const over = seen.filter(([, a], i) => seen.some(([, b], j) => i !== j &&
    a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5));
  return [...out, ...over].map(([name]) => name);
})()`;

t.test("the viewer in every state", { timeout: 600_000 }, async (t) => {
  if (!requirePeers(t, ["chromium", "openssl"])) return;
  // Makes keys, and nothing else goes on meanwhile: before there are connections that could be missed.
  const target = await CertificateTarget.start(t);
  const appliance = await Appliance.start(t, { mode: "assist" });
  const id = await onlyDesktop(appliance);
  const browser = await openBrowser(t);
  const act = (what: string): Promise<Response> => appliance.fetch(`/api/v1/desktops/${id}/${what}`, {});
  const mode = async (): Promise<unknown> => (await rest(appliance, "/api/v1/desktops"))[0]?.["mode"];

  await t.test("after the escape chord letters are shortcuts, and no letter chooses a mode", async (t) => {
    const { context, page } = await signIn(browser, appliance);
    await page.goto(`${appliance.url}/desktops/${id}`);
    await until("a picture", () => viewerShot(page));
    await page.locator(".viewer-frame").click({ position: { x: 300, y: 300 } });
    await page.keyboard.press("Control+Alt+Shift");
    await until("the focus in the bar", () =>
      page.evaluate<boolean>(`document.activeElement.closest(".viewer-bar") !== null`),
    );
    await page.keyboard.press("a");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).getByText("Take over").waitFor();
    await page.keyboard.press("Escape");
    t.equal(await mode(), "assist");
    await page.keyboard.press("p");
    await page.locator(".viewer-panel").waitFor({ state: "detached" });
    t.match(await page.title(), /^Demo desktop · /, "the window says which desktop it shows");
    await context.close();
  });

  for (const [width, hasTouch] of [
    [360, true],
    [390, false],
    [844, true],
  ] as const) {
    await t.test(
      `Stop and all else of the bar is there ${width} px wide, whatever is going on`,
      async (t) => {
        const viewport = { width, height: 640 };
        const { context, page } = await signIn(browser, appliance, { viewport, hasTouch });
        await page.goto(`${appliance.url}/desktops/${id}`);
        await until("a picture", () => viewerShot(page));
        // They come in a while after the picture, and take their line from it.
        if (hasTouch) await page.locator(".extra-keys").waitFor();
        const stage = (): Promise<unknown> => page.locator(".stage").boundingBox();
        const [stop, before] = [page.locator(".stop-button"), await stage()];
        const place = await stop.boundingBox();
        await appliance.fetch("/api/v1/recordings", { desktop_id: id });
        await act("take-over");
        await act("stop");
        await page.getByRole("button", { name: "Resume" }).waitFor();
        await page.getByRole("button", { name: "Give back" }).waitFor();
        await page.locator(".recording-sign").waitFor();
        t.same(await page.evaluate(BAR_FAULTS), []);
        t.same(await stop.boundingBox(), place, "Stop stays where it was");
        t.same(await stage(), before, "and so does the picture");
        t.same(await accessibilityFaults(page), []);
        await act("resume");
        await act("give-back");
        for (const recording of await rest(appliance, "/api/v1/recordings")) {
          if (recording.state === "recording") {
            await appliance.fetch(`/api/v1/recordings/${recording.id}/stop`, {});
          }
        }
        await context.close();
      },
    );
  }

  await t.test("a message covers no question", async (t) => {
    const agent = await appliance.agent({ token: appliance.agentToken });
    const { context, page } = await signIn(browser, appliance, { viewport: { width: 390, height: 844 } });
    await page.goto(`${appliance.url}/desktops/${id}`);
    await page.route("**/mode", (route) => route.abort());
    await page.getByLabel("Mode: what agents may do").selectOption("passive");
    await page.getByRole("button", { name: "Set to Passive" }).click();
    const notice = page.locator(".notice-error");
    await notice.waitFor();
    const asked = outcome(agent, "click_at", { x: 500, y: 300 });
    const card = page.locator(".approval:not(.is-settled)");
    await card.locator("img").waitFor();
    const [a, b] = [await notice.boundingBox(), await card.boundingBox()];
    t.ok(a && b && b.y + b.height <= a.y, "the message is below the question");
    const more = outcome(agent, "click_at", { x: 500, y: 300 });
    await page.locator("button.approval-line").waitFor();
    const [c, d] = [await notice.boundingBox(), await page.locator(".floating").boundingBox()];
    t.ok(c && d && d.y + d.height <= c.y, "nor do more of them reach below it");
    await card.focus();
    await page.keyboard.press("d");
    t.equal(await asked, "denied_by_human");
    await card.getByRole("button", { name: "Deny" }).click();
    t.equal(await more, "denied_by_human");
    await context.close();
  });

  await t.test("a number that is being typed is left alone, and afterwards is what counts", async (t) => {
    const { context, page } = await signIn(browser, appliance);
    await page.goto(`${appliance.url}/desktops/${id}/rules`);
    await page.getByRole("button", { name: "Add an area" }).click();
    const width = page.getByLabel("Width");
    await width.fill("");
    await appliance.fetch(`/api/v1/desktops/${id}/mode`, { mode: "composing" });
    await page.getByText("the desktop is in composing mode").waitFor();
    t.equal(await width.inputValue(), "", "what the page hears meanwhile does not change it");
    await width.fill("300");
    await width.fill("99999");
    await width.blur();
    t.equal(await width.inputValue(), "300");
    await appliance.fetch(`/api/v1/desktops/${id}/mode`, { mode: "assist" });
    await context.close();
  });

  await t.test("a page that was not answered at first knows who looks once it is", async () => {
    const { context, page } = await signIn(browser, appliance);
    let isDown = true;
    let tries = 0;
    await page.route("**/api/v1/me", (route) => (isDown ? route.abort() : route.continue()));
    await page.routeWebSocket(/\/ws\/events/, (socket) => {
      if (++tries === 1) return socket.close();
      isDown = false;
      socket.connectToServer();
      return undefined;
    });
    await page.goto(`${appliance.url}/`);
    await page.locator(".tile").first().waitFor();
    await page.getByRole("button", { name: "Add desktop" }).waitFor();
    await context.close();
  });

  await t.test("a page that reaches no server says so, and calls nothing live", async () => {
    const { context, page } = await signIn(browser, appliance);
    const first: WebSocketRoute[] = [];
    await page.routeWebSocket(/\/ws\/events/, (socket) => {
      if (first.push(socket) > 1) return socket.close();
      socket.connectToServer();
      return undefined;
    });
    await page.goto(`${appliance.url}/desktops/${id}`);
    const mark = page.locator(".viewer-bar .state-mark");
    await mark.getByText("Live").waitFor();
    await first[0]?.close();
    await mark.getByText("Connection lost").waitFor();
    await page.reload();
    await page.getByText("No connection to the server").waitFor();
    await context.close();
  });

  await t.test("a page whose code is gone is loaded anew", async () => {
    const { context, page } = await signIn(browser, appliance);
    let isUpdated = false;
    page.on("request", (request) => {
      if (request.isNavigationRequest()) isUpdated = true;
    });
    await page.route("**/assets/viewer-page-*.js", (route) => (isUpdated ? route.continue() : route.abort()));
    await page.locator(".tile a").first().click();
    await page.getByRole("button", { name: "Reload the page" }).click();
    await page.locator(".viewer-bar").waitFor();
    await context.close();
  });

  await t.test("a first picture that is slow says how much of it is there", async (t) => {
    const half = rectangle(0, 0, 100, 50, 0, solid(100, 50, [200, 40, 40]));
    const other = rectangle(0, 50, 100, 50, 0, solid(100, 50, [40, 40, 200]));
    const sockets: Socket[] = [];
    const slow = createServer((socket) => {
      sockets.push(socket.on("error", () => undefined));
      socket.write(join(hello(100, 100), update(half, other).subarray(0, -1)));
    }).listen(0, "127.0.0.1");
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
      slow.close();
    });
    await once(slow, "listening");
    const address = slow.address();
    if (address === null || typeof address === "string") throw new Error("the target has no port");
    const body = { name: "slow", protocol: "vnc", host: "127.0.0.1", port: address.port };
    await appliance.fetch("/api/v1/desktops", body);
    const added = (await rest(appliance, "/api/v1/desktops")).find((desktop) => desktop["name"] === "slow");
    const { context, page } = await signIn(browser, appliance);
    await page.goto(`${appliance.url}/desktops/${added?.id ?? ""}`);
    const card = page.locator(".stage-card");
    await card.getByText("Loading the picture, 50 %").waitFor();
    t.equal(
      await card.getByRole("button", { name: "Try now" }).count(),
      0,
      "trying anew would throw away what is there",
    );
    for (const socket of sockets) socket.write(update(half, other).subarray(-1));
    await card.waitFor({ state: "detached" });
    await context.close();
  });

  await t.test(
    "a certificate is shown when it is believed first, and from then on beside the facts",
    async (t) => {
      const { context, page } = await signIn(browser, appliance, { viewport: { width: 390, height: 844 } });
      await page.getByRole("heading", { name: "Desktops" }).waitFor();
      await page.getByRole("link", { name: "Demo desktop" }).waitFor();
      const body = { protocol: "vnc", host: "127.0.0.1", port: target.port, security: ["X509None"] };
      await appliance.fetch("/api/v1/desktops", { ...body, name: "first" });
      const [fingerprint = ""] = target.fingerprints;
      const notice = page.locator(".notice", { hasText: "first is trusted by what it showed first" });
      t.match(await notice.innerText(), fingerprint);
      t.same(await accessibilityFaults(page), []);
      await notice.getByRole("button", { name: "OK" }).click();
      const added = (await rest(appliance, "/api/v1/desktops")).find((one) => one["name"] === "first");
      const path = `/api/v1/desktops/${added?.id ?? ""}`;
      await page.goto(`${appliance.url}/desktops/${added?.id ?? ""}`);
      await page.getByRole("button", { name: /^Panel/ }).click();
      await page.getByRole("tab", { name: "Info" }).click();
      const fact = page.locator(".facts > div", { hasText: "Fingerprint" });
      t.match(await fact.innerText(), fingerprint);
      t.match(await fact.innerText(), /believed when it was first seen/);
      await appliance.fetch(path, undefined, { method: "DELETE" });
      await context.close();
    },
  );

  await t.test("a desktop that shows another certificate is trusted anew by a click", async (t) => {
    const body = {
      name: "cert",
      protocol: "vnc",
      host: "127.0.0.1",
      port: target.port,
      security: ["X509None"],
    };
    await appliance.fetch("/api/v1/desktops", body);
    const added = async () =>
      (await rest(appliance, "/api/v1/desktops")).find((desktop) => desktop["name"] === "cert");
    const kind = async (): Promise<string> => JSON.stringify((await added())?.state);
    await until("the first certificate", async () => (await kind()).includes(`"live"`));
    target.change();
    await until("the other one", async () => (await kind()).includes("cert_mismatch"));
    const { context, page } = await signIn(browser, appliance, { viewport: { width: 390, height: 844 } });
    await page.goto(`${appliance.url}/desktops/${(await added())?.id ?? ""}`);
    const card = page.locator(".stage-card");
    await card.getByText(/^The desktop’s (certificate|key) has changed$/).waitFor();
    await card.getByText("Shown now").waitFor();
    for (const fingerprint of target.fingerprints) t.match(await card.innerText(), fingerprint);
    t.same(await accessibilityFaults(page), []);
    await card.getByRole("button", { name: /^Trust this (certificate|key)$/ }).click();
    await until(
      "another try, which the target floods",
      async () => target.signIns > 1 || !(await kind()).includes("cert_mismatch"),
    );
    await context.close();
  });
});
