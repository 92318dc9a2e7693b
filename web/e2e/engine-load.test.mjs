/** What the board costs: requests, layout shifts, and searches while a user runs through a game. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { expectLines } from "./browser.mjs";
import { freePort, startServer, stopServer, until, withPage } from "./own-server.mjs";

/** The rates of config/production.toml. */
const production = (metrics) => `
[rate]
requests = 120
window_ms = 60000
[metrics]
listen = "127.0.0.1:${metrics}"
`;

/** Plays the engine's lines until the game has this many moves. */
async function playLines(page, moves) {
  await until(async () => await page.evaluate(() => {
    const count = document.querySelectorAll(".move:not(.other)").length;
    const line = [...document.querySelectorAll(".pv-move[data-row='0']")];
    const number = `${Math.floor(count / 2) + 1}${count % 2 ? "…" : "."} `;
    if (line.length > 3 && line[0].textContent.startsWith(number)) line.at(-1).click();
    return document.querySelectorAll(".move:not(.other)").length;
  }) >= moves, `${moves} moves of the engine's lines`);
}

test("a run of 200 steps in 10 seconds has one search at a time, and ends with the last position",
  async () => {
    const metrics = await freePort();
    // There is a worker for a second search, if one came.
    const { server, address } = await startServer({
      settings: production(metrics), workers: 2,
    });
    try {
      await withPage(address, async (page, open) => {
        let searches = 0;
        const refusals = [];
        page.on("websocket", (socket) => {
          socket.on("framesent", ({ payload }) => { searches += payload.includes('"go"'); });
          socket.on("framereceived", ({ payload }) => {
            if (payload.includes('"problem"')) refusals.push(payload);
          });
        });
        await open();
        await expectLines(page, "1\\.");
        await playLines(page, 60);
        await page.keyboard.press("Home");
        const before = searches;
        const last = await page.locator(".move:not(.other)").count();
        let most = 0;
        let isRunning = true;
        const watching = (async () => {
          while (isRunning) {
            const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
            most = Math.max(most, Number(text.match(/^kibitzer_searches_running (\d+)/m)[1]));
          }
        })();
        const start = performance.now();
        for (let step = 0; step < 200; step++) {
          const isBack = Math.floor(step / last) % 2 === 1;
          await page.keyboard.press(isBack ? "ArrowLeft" : "ArrowRight");
          const wait = start + (step + 1) * 50 - performance.now();
          if (wait > 0) await new Promise((resolve) => { setTimeout(resolve, wait); });
        }
        await page.keyboard.press("End");
        await expectLines(page, `${Math.floor(last / 2) + 1}${last % 2 ? "…" : "\\."}`);
        await page.getByText("The engine is searching.").waitFor();
        isRunning = false;
        await watching;
        assert.equal(most, 1);
        assert.deepEqual(refusals, []);
        // Half of the burst is left to the other requests of the page.
        const allowed = 60 + (performance.now() - start) / 500;
        assert.ok(searches - before <= allowed, `${searches - before} of ${allowed} searches`);
      });
    } finally {
      await stopServer(server);
    }
  });

test("the first load takes at most 8 requests, and nothing shifts when evaluations arrive",
  async () => {
    const { server, address } = await startServer();
    try {
      await withPage(address, async (page, open) => {
        const requests = [];
        page.on("request", (request) => requests.push(request.url()));
        page.on("websocket", (socket) => requests.push(socket.url()));
        await page.addInitScript(() => {
          globalThis.shifted = 0;
          new PerformanceObserver((list) => {
            for (const { hadRecentInput, value } of list.getEntries()) {
              if (!hadRecentInput) globalThis.shifted += value;
            }
          }).observe({ type: "layout-shift", buffered: true });
        });
        await open();
        await expectLines(page, "1\\.");
        await page.waitForFunction(() => Number(
          document.querySelector(".engine .depth").textContent.match(/\d+/)[0]) >= 12);
        assert.ok(requests.length <= 8, requests.join("\n"));
        const shifted = await page.evaluate(() => globalThis.shifted);
        assert.ok(shifted < 0.02, `shifted by ${shifted}`);
      }, { viewport: { width: 1280, height: 800 } });
    } finally {
      await stopServer(server);
    }
  });
