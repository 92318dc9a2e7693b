/** What the board costs: requests, layout shifts, and searches while a user runs through a game. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Chess } from "chessops/chess";
import { makeSanAndPlay } from "chessops/san";
import { expectLines } from "./browser.mjs";
import { openGame } from "./games.mjs";
import { freePort, startServer, stopServer, withPage } from "./own-server.mjs";

/** The rate limit of config/production.toml. */
const [RATE] = readFileSync(new URL("../../config/production.toml", import.meta.url), "utf8")
  .match(/^\[rate\]$[^[]+/m);

/** The half moves of the game, and the steps that the user takes one by one. */
const LAST = 200;
const STEPS = 30;

/** A legal game of so many half moves, mostly without captures, so that it does not end early. */
function longGame() {
  const position = Chess.default();
  let random = 1;
  const moves = [];
  for (let ply = 0; ply < LAST; ply++) {
    const legal = [...position.allDests()].flatMap(([from, targets]) =>
      [...targets].map((to) => ({ from, to, promotion: undefined })));
    const quiet = legal.filter(({ from, to }) =>
      !position.board.occupied.has(to) && !position.board.pawn.has(from));
    const choice = quiet.length > 0 && ply % 8 ? quiet : legal;
    random = (random * 48_271) % 2_147_483_647;
    const move = choice[random % choice.length];
    const isLast = position.board.pawn.has(move.from) && (move.to < 8 || move.to >= 56);
    moves.push(makeSanAndPlay(position, isLast ? { ...move, promotion: "queen" } : move));
  }
  assert.equal(position.isEnd(), false);
  return moves.map((san, ply) => (ply % 2 ? san : `${ply / 2 + 1}. ${san}`)).join(" ");
}

/** Presses a key so often, with this time between. */
async function press(page, key, times, every) {
  const start = performance.now();
  for (let step = 0; step < times; step++) {
    await page.keyboard.press(key);
    const wait = start + (step + 1) * every - performance.now();
    if (wait > 0) await new Promise((resolve) => { setTimeout(resolve, wait); });
  }
}

/** Reads the metrics of a server until the returned function is called, which tells the most. */
function watchSearches(metrics) {
  let most = 0;
  let isRunning = true;
  const watching = (async () => {
    while (isRunning) {
      const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
      most = Math.max(most, Number(text.match(/^kibitzer_searches_running (\d+)/m)[1]));
      await new Promise((resolve) => { setTimeout(resolve, 5); });
    }
  })();
  // A failure belongs to the caller that asks for the result.
  watching.catch(() => undefined);
  return async () => {
    isRunning = false;
    await watching;
    return most;
  };
}

/** Notes what the server refuses, by HTTP and over the socket, and the searches of the page. */
function watchTraffic(page) {
  const traffic = { requests: 0, searches: 0, refusals: [] };
  page.on("response", (response) => {
    traffic.requests += response.url().includes("/v1/");
    if (response.status() === 429) traffic.refusals.push(response.url());
  });
  page.on("websocket", (socket) => {
    socket.on("framesent", ({ payload }) => { traffic.searches += payload.includes('"go"'); });
    socket.on("framereceived", ({ payload }) => {
      if (payload.includes('"problem"')) traffic.refusals.push(payload);
    });
  });
  return traffic;
}

test("200 steps in 10 seconds, and slower ones after them, keep the rate limit of production.toml",
  async () => {
    const metrics = await freePort();
    // There is a worker for a second search, if one came.
    const { server, address } = await startServer({
      settings: `${RATE}\n[metrics]\nlisten = "127.0.0.1:${metrics}"\n`, workers: 2,
    });
    try {
      await withPage(address, async (page, open) => {
        const traffic = watchTraffic(page);
        await open();
        await expectLines(page, "1\\.");
        await openGame(page, longGame());
        // The form asks for the position, the last move and all legal moves.
        await page.goto(`http://${address}/#inspect=move-code`);
        await page.keyboard.press("v");
        await page.locator(".piece-value").first().waitFor();
        const stopWatching = watchSearches(metrics);
        await page.keyboard.press("Home");
        await press(page, "ArrowRight", LAST / 2, 50);
        await page.keyboard.press("e");
        await press(page, "ArrowRight", LAST / 2, 50);
        await expectLines(page, `${LAST / 2 + 1}\\.`);
        await page.getByText("The engine is searching.").waitFor();
        await page.keyboard.press("i");
        await press(page, "ArrowLeft", STEPS, 300);
        // When the user rests, all that is open is about the last position.
        await expectLines(page, `${(LAST - STEPS) / 2 + 1}\\.`);
        await page.locator(".inspect-form .values:not(.old)").waitFor();
        await page.locator(".piece-value").first().waitFor();
        // Beside the board, the forms take the place of the judgement.
        await page.keyboard.press("i");
        await page.locator(".judgement:not(:has(.hint))").waitFor();
        assert.equal(await stopWatching(), 1);
        assert.deepEqual(traffic.refusals, []);
        // More than the burst of the limit: the page has waited for its turn.
        const { requests, searches } = traffic;
        assert.ok(requests + searches > 130, `${requests} requests, ${searches} searches`);
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
