/** The board's connection to servers that refuse, wait, end or need a key. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { click, expectLines, expectMoves } from "./browser.mjs";
import {
  KEY, KEYS, startProxy, startServer, startTunnel, stopServer, until, withPage,
} from "./own-server.mjs";

/** Runs a claim against a server of its own. */
async function withServer(settings, claim) {
  const { server, address } = await startServer({ settings });
  try {
    await claim(address, server);
  } finally {
    await stopServer(server);
  }
}

const status = (page) => page.locator(".status-text");

test("a server that needs a key: a sentence, the key's entry, a wrong key, its removal", () =>
  withServer(KEYS, (address) => withPage(address, async (page, open) => {
    await open();
    await status(page).filter({ hasText: "The server needs a valid API key." }).waitFor();
    // The board works without it.
    await click(page, "e2", "e4");
    await expectMoves(page, "e4");
    await page.getByRole("button", { name: "Enter API key…" }).click();
    const field = page.getByRole("textbox", { name: "API key" });
    assert.equal(await field.evaluate((input) => input === document.activeElement), true);
    // Nothing is said of a key before the server has answered.
    const problem = page.locator("#api-key-problem");
    const enter = async (key) => {
      let release;
      const held = new Promise((resolve) => { release = resolve; });
      await page.route("**/v1/tickets", async (route) => {
        await held;
        await route.continue();
      });
      await field.fill(key);
      const asked = page.waitForRequest("**/v1/tickets");
      await page.keyboard.press("Enter");
      await asked;
      assert.equal(await problem.innerText(), "");
      await page.locator(".server-state", { hasText: "Connecting to the server…" }).waitFor();
      const answer = page.waitForResponse("**/v1/tickets");
      release();
      const code = (await answer).status();
      await page.unroute("**/v1/tickets");
      return code;
    };
    // The same key once more is another try.
    for (const key of ["wrong", "wrong"]) {
      assert.equal(await enter(key), 401);
      await problem.filter({ hasText: "The server refuses this key." }).waitFor();
    }
    assert.equal(await enter(KEY), 200);
    await page.getByRole("row", { name: /^Requests \d+ of 100000 left/ }).waitFor();
    assert.equal(await problem.innerText(), "");
    await page.keyboard.press("Escape");
    await expectLines(page, "1…");
    // The key is kept for the tab, and reaches no address: the socket has a ticket.
    const sockets = [];
    page.on("websocket", (socket) => sockets.push(socket.url()));
    await page.reload();
    await expectLines(page, "1…");
    assert.match(sockets.join(), /^ws:\S+\/v1\/live\?ticket=[0-9a-f]+$/);
    await page.getByRole("button", { name: "Server" }).click();
    await page.getByRole("button", { name: "Remove key" }).click();
    await page.keyboard.press("Escape");
    await status(page).filter({ hasText: "The server needs a valid API key." }).waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.getItem("kibitzer.key")), null);
  })));

test("a refused connection is tried again when the tab is shown", () =>
  withServer(KEYS, (address) => withPage(address, async (page, open) => {
    await open();
    const isShown = status(page).filter({ hasText: "The server needs a valid API key." });
    await isShown.waitFor();
    const asked = page.waitForResponse("**/v1/limits");
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    assert.equal((await asked).status(), 401);
    await isShown.waitFor();
  })));

test("a refusal that no key helps against offers another try", () =>
  withServer("", (address) => withPage(address, async (page, open) => {
    await page.routeWebSocket(/\/v1\/live/, (socket) => socket.close());
    await page.route("**/v1/limits", (route) => route.fulfill({
      status: 403, contentType: "application/problem+json",
      body: JSON.stringify({
        title: "Origin refused", status: 403, code: "origin_refused",
        detail: "the origin is not allowed",
      }),
    }));
    await open();
    await status(page).filter({ hasText: "The origin is not allowed." }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Enter API key…" }).count(), 0);
    // The board works without the server.
    await click(page, "e2", "e4");
    await page.unroute("**/v1/limits");
    await page.getByRole("button", { name: "Try again" }).click();
    // Without sockets, events bring the evaluation.
    await expectLines(page, "1…");
    assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
  })));

test("the place in the queue is shown while a search waits for a worker", () =>
  withServer("", (address) => withPage(address, async (page, open) => {
    let searches = 0;
    await page.routeWebSocket(/\/v1\/live/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((text) => {
        const { type, id } = JSON.parse(text);
        // The first search waits, as behind those of other users.
        if (type === "go" && ++searches === 1) {
          socket.send(JSON.stringify({ type: "queued", id, position: 2 }));
        } else server.send(text);
      });
    });
    await open();
    await status(page).filter({ hasText: /^Connected\. Waiting for a worker, place 2\.$/ })
      .waitFor();
    await click(page, "e2", "e4");
    await expectLines(page, "1…");
    await status(page).filter({ hasText: "The engine is searching." }).waitFor();
  })));

test("beyond the rate limit the wait counts down, and the analysis goes on", () =>
  withServer("[rate]\nrequests = 3\nwindow_ms = 15000\n", (address) =>
    withPage(address, async (page, open) => {
      await open();
      await expectLines(page, "1\\.");
      await click(page, "e2", "e4");
      await click(page, "e7", "e5");
      await click(page, "g1", "f3");
      await page.getByText("The server allows no more requests for now.").waitFor();
      await page.locator(".countdown", { hasText: /Next try in \d+ s\./ }).waitFor();
      await expectMoves(page, "e4", "e5", "Nf3");
      await expectLines(page, "2…");
      await status(page).filter({ hasText: /^Connected\./ }).waitFor();
    })));

test("a server without a free place for the board says so, with the wait", () =>
  withServer("[stream]\nmax = 1\n", (address) => withPage(address, async (page, open) => {
    await open();
    await expectLines(page, "1\\.");
    const second = await page.context().newPage();
    await second.goto(page.url());
    await second.getByText("The server is busy.").waitFor();
    await second.locator(".countdown", { hasText: /Next try in \d+ s\./ }).waitFor();
    await page.close();
    await expectLines(second, "1\\.");
  })));

test("where no WebSocket can be opened, events replace it, one search at a time", () =>
  withServer("", async (target) => {
    const proxy = await startProxy(target);
    try {
      await withPage(proxy.address, async (page, open) => {
        await open();
        await expectLines(page, "1\\.");
        assert.equal(proxy.requests.filter((text) => text.startsWith("UPGRADE")).length, 2);
        await click(page, "e2", "e4");
        await expectLines(page, "1…");
        await click(page, "e7", "e5");
        await expectLines(page, "2\\.");
        await until(() => proxy.running === 1, "one search runs");
        await page.keyboard.press("ArrowLeft");
        await expectLines(page, "1…");
        await page.getByLabel("Number of lines").selectOption("5");
        await page.locator(".pv-move[data-row='4']").first().waitFor();
        await page.getByRole("button", { name: "Pause" }).click();
        await page.getByText("The engine is paused.").waitFor();
        await until(() => proxy.running === 0, "no search runs");
        assert.ok(proxy.requests.includes("POST /v1/analysis"));
      });
    } finally {
      await proxy.stop();
    }
  }));

test("the server ends and comes back behind a proxy without WebSockets", async () => {
  let { server, address } = await startServer();
  const proxy = await startProxy(address);
  try {
    await withPage(proxy.address, async (page, open) => {
      await open();
      await expectLines(page, "1\\.");
      await stopServer(server);
      await page.getByText("The server cannot be reached.").first().waitFor();
      await click(page, "d2", "d4");
      ({ server } = await startServer({ listen: address }));
      await expectLines(page, "1…");
    });
  } finally {
    await proxy.stop();
    await stopServer(server);
  }
});

test("an idle board is disconnected and connects again with the next move", () =>
  withServer("[live]\nidle_ms = 1000\n", (address) => withPage(address, async (page, open) => {
    await open();
    await expectLines(page, "1\\.");
    await page.keyboard.press("l");
    await page.getByText("Disconnected while idle.").waitFor();
    await page.keyboard.press("l");
    await page.getByText("The engine is searching.").waitFor();
    await page.keyboard.press("l");
    await page.getByText("Disconnected while idle.").waitFor();
    await click(page, "e2", "e4");
    await page.keyboard.press("l");
    await expectLines(page, "1…");
  })));

test("a cut connection is opened again, and the search goes on", () =>
  withServer("", async (target) => {
    const tunnel = await startTunnel(target);
    try {
      await withPage(tunnel.address, async (page, open) => {
        await open();
        await expectLines(page, "1\\.");
        const socket = page.waitForEvent("websocket");
        tunnel.cut();
        await socket;
        await page.getByText("Connected. The engine is searching.").waitFor();
      });
    } finally {
      await tunnel.stop();
    }
  }));

test("a game that goes on after a fivefold repetition is still analysed", () =>
  withServer("", (address) => withPage(address, async (page, open) => {
    await open();
    await expectLines(page, "1\\.");
    const shuffle = [["g1", "f3"], ["g8", "f6"], ["f3", "g1"], ["f6", "g8"]];
    for (let times = 0; times < 4; times++) {
      for (const [from, to] of shuffle) await click(page, from, to);
    }
    await page.getByText("Draw: fivefold repetition").waitFor();
    await click(page, "e2", "e4");
    await expectLines(page, "9…");
  })));

test("a position that the server refuses is named in a sentence", () =>
  withServer("[limits]\nmultipv = 2\n", (address) => withPage(address, async (page, open) => {
    await page.addInitScript(() => {
      // A message that this server cannot read, as from a page of another version.
      const { send } = WebSocket.prototype;
      WebSocket.prototype.send = function (text) {
        const isRefused = JSON.parse(text).moves?.length === 0 && text.includes(" b ");
        send.call(this, isRefused ? text.replace('"fen":"', '"fen":"x') : text);
      };
    });
    await open();
    await expectLines(page, "1\\.");
    // The server says with its first answer that it shows at most two lines.
    await page.waitForFunction(() => document.querySelectorAll(".line").length === 2);
    await click(page, "e2", "e4");
    await page.getByText("The server refuses this position.").waitFor();
    assert.match(await status(page).innerText(), /^\S.*[.!?]$/);
    assert.equal(await page.locator(".pv-move").count(), 0);
    await page.keyboard.press("ArrowLeft");
    await expectLines(page, "1\\.");
  })));

test("a hidden tab stops its search after a minute and goes on when it is shown", () =>
  withServer("", (address) => withPage(address, async (page, open) => {
    await page.clock.install();
    await open();
    await expectLines(page, "1\\.");
    const hide = (isHidden) => page.evaluate((hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, isHidden);
    await hide(true);
    await page.clock.runFor(50_000);
    await page.getByText("The engine is searching.").waitFor();
    await page.clock.runFor(15_000);
    await status(page).filter({ hasText: /^Connected\.$/ }).waitFor();
    await hide(false);
    await page.getByText("The engine is searching.").waitFor();
  })));
