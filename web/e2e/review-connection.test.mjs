/** The review of a game over failures of the server and the network, and with keys. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { click, launch, serveFiles } from "./browser.mjs";
import { KEY, KEYS, startServer, stopServer, withPage } from "./own-server.mjs";
import { GAME, keepReview, newRecord, storedJob } from "./reviewed-game.mjs";

/** The machine may be busy with other things. */
const SLOW_MS = 150_000;

const PLIES = 24;
const record = (members) => newRecord({ moves: GAME.slice(0, PLIES), ...members });

const points = (page) => page.locator(".point");
const finished = (page) =>
  page.locator(".players .strong", { hasText: "%" }).first().waitFor({ timeout: SLOW_MS });

/** Lets the pages of a tab note which of these texts they show, however short. */
const watchFor = (page, ...texts) => page.addInitScript((watched) => {
  window.seen = [];
  new MutationObserver(() => {
    const shown = document.body?.textContent ?? "";
    window.seen.push(...watched.filter((text) => shown.includes(text)));
  }).observe(document, { subtree: true, childList: true, characterData: true });
}, texts);
const seenTexts = (page) => page.evaluate(() => [...new Set(window.seen)]);

/** Opens the board of a new server with this environment and begins a review of a short game. */
async function withReview(env, level, claim) {
  const { server, address } = await startServer({ env });
  const running = { server, address, restart: async () => {
    await stopServer(running.server);
    running.server = (await startServer({ listen: address, env })).server;
  } };
  const browser = await launch();
  try {
    const context = await browser.newContext();
    await serveFiles(context);
    const page = await context.newPage();
    page.setDefaultTimeout(SLOW_MS);
    await page.goto(`http://${address}/`);
    await keepReview(page, record({ level }));
    await points(page).nth(2).waitFor();
    await claim(page, running);
  } finally {
    await browser.close();
    await stopServer(running.server);
  }
}

test("a review goes on when the server was killed and has a store", async () => {
  const store = await mkdtemp(join(tmpdir(), "board-"));
  try {
    await withReview({ KIBITZER__STORE__PATH: store }, "standard", async (page, running) => {
      const job = await storedJob(page);
      await stopServer(running.server);
      await page.getByText("The review goes on when it is back.").waitFor();
      const before = await points(page).count();
      assert.ok(before >= 3 && before < PLIES, `${before} moves were shown`);
      // The board stays usable.
      await click(page, "e2", "e4");
      await running.restart();
      await finished(page);
      assert.equal(await points(page).count(), PLIES);
      assert.equal(await storedJob(page), job);
    });
  } finally {
    await rm(store, { recursive: true, force: true });
  }
});

test("a server without a store loses the review, and the page says so", async () => {
  await withReview({}, "deep", async (page, running) => {
    await running.restart();
    await page.getByRole("alert").filter({ hasText: "no such review any more" }).waitFor();
    assert.ok(await points(page).count() >= 3, "what was shown stays");
    await page.getByRole("button", { name: "Review again" }).click();
    await page.getByRole("button", { name: "Stop" }).waitFor();
  });
});

const PROXY_PAGE = [
  502, { "Content-Type": "text/html", "Retry-After": "1" }, "<html><h1>502 Bad Gateway</h1></html>",
];
const SERVER_ERROR = [500, { "Content-Type": "application/problem+json" }, JSON.stringify({
  title: "Internal error", status: 500, code: "internal", detail: "thread 7 panicked",
})];

/** Passes a stream on up to the middle of its third move, and then says nothing more. */
function passTwoMoves(answer, outgoing) {
  let text = "";
  answer.on("data", (chunk) => {
    const sent = text.length;
    text += chunk;
    const third = text.split("event: move", 3).join("event: move").length;
    outgoing.write(text.slice(sent, Math.min(third + 40, text.length)));
  });
}

/**
 * A proxy whose first stream of a review stops in the middle of an event, until all connections are
 * cut. The next two requests for the stream it answers itself. It passes everything else on.
 * `resumed` has the `Last-Event-ID` of each request.
 */
async function startBadProxy(target) {
  const [host, port] = target.split(":");
  const resumed = [];
  const answers = [PROXY_PAGE, SERVER_ERROR];
  const proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const isStream = /\/v1\/games\/\w+\/events/.test(url);
    if (isStream) resumed.push(headers["last-event-id"]);
    const own = isStream && resumed.length > 1 ? answers.shift() : undefined;
    if (own) {
      const [status, members, body] = own;
      outgoing.writeHead(status, members).end(body);
      return;
    }
    const upstream = request({ host, port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      // A proxy whose client is gone has nobody to tell about it.
      answer.on("error", () => outgoing.destroy());
      if (isStream && resumed.length === 1) passTwoMoves(answer, outgoing);
      else answer.pipe(outgoing);
    });
    upstream.on("error", () => outgoing.destroy());
    outgoing.on("close", () => upstream.destroy());
    incoming.pipe(upstream);
  });
  proxy.on("upgrade", (incoming, socket) => socket.destroy());
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return { proxy, address: `127.0.0.1:${proxy.address().port}`, resumed };
}

test("a cut in an event, a proxy's page and an error of the server delay a review", async () => {
  const { server, address: target } = await startServer();
  const { proxy, address, resumed } = await startBadProxy(target);
  try {
    await withPage(address, async (page, open) => {
      const sentences = [
        "The server cannot be reached. The review goes on when it is back.",
        "The server cannot answer at present. The next try is in 1 s.",
        "The server has made an error. The next try is in",
      ];
      await watchFor(page, ...sentences, "Gateway", "panicked");
      await open();
      await keepReview(page, record());
      await points(page).nth(1).waitFor({ timeout: SLOW_MS });
      proxy.closeAllConnections();
      await finished(page);
      assert.deepEqual(await seenTexts(page), sentences);
      assert.equal(await points(page).count(), PLIES);
      // What had arrived is not sent again.
      assert.deepEqual(resumed, [undefined, "2", "2", "2"]);
    });
  } finally {
    proxy.closeAllConnections();
    proxy.close();
    await stopServer(server);
  }
});

test("a review goes on with a key, and with two workers beside the live analysis", async () => {
  const { server, address } = await startServer({ settings: KEYS, workers: 2 });
  try {
    await withPage(address, async (page, open) => {
      await watchFor(page, "Waits for the review");
      await open();
      await keepReview(page, record());
      const alert = page.locator(".tool.review").getByRole("alert");
      await alert.filter({ hasText: "Enter a valid key, and the review goes on." }).waitFor();
      // A reload keeps it.
      await page.reload();
      await alert.waitFor();
      await page.getByRole("button", { name: "Enter API key…" }).click();
      await page.getByRole("textbox", { name: "API key" }).fill(KEY);
      await page.keyboard.press("Enter");
      await page.keyboard.press("Escape");
      await finished(page);
      assert.equal(await alert.count(), 0);
      assert.equal(await points(page).count(), PLIES);
      assert.deepEqual(await seenTexts(page), []);
    });
  } finally {
    await stopServer(server);
  }
});
