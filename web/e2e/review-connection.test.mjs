/** The review of a game when the server is killed in the middle and starts again. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { click, launch, serveFiles } from "./browser.mjs";
import { startServer, stopServer } from "./own-server.mjs";
import { GAME, keepReview, newRecord, storedJob } from "./reviewed-game.mjs";

/** Opens the board of a new server, with this environment, and begins a review of a short game. */
async function withReview(env, claim) {
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
    page.setDefaultTimeout(150_000);
    await page.goto(`http://${address}/`);
    await keepReview(page, newRecord({ moves: GAME.slice(0, 30) }));
    await page.locator(".point").nth(2).waitFor();
    await claim(page, running);
  } finally {
    await browser.close();
    await stopServer(running.server);
  }
}

test("a review goes on when the server was killed and has a store", async () => {
  const store = await mkdtemp(join(tmpdir(), "board-"));
  try {
    await withReview({ KIBITZER__STORE__PATH: store }, async (page, running) => {
      const job = await storedJob(page);
      await stopServer(running.server);
      await page.getByText("The review goes on when it is back.").waitFor();
      const before = await page.locator(".point").count();
      assert.ok(before >= 3 && before < 30, `${before} moves were shown`);
      // The board stays usable.
      await click(page, "e2", "e4");
      await running.restart();
      await page.locator(".players .strong", { hasText: "%" }).first().waitFor();
      assert.equal(await page.locator(".point").count(), 30);
      assert.equal(await storedJob(page), job);
    });
  } finally {
    await rm(store, { recursive: true, force: true });
  }
});

test("a server without a store loses the review, and the page says so", async () => {
  await withReview({}, async (page, running) => {
    await running.restart();
    await page.getByRole("alert").filter({ hasText: "no such review any more" }).waitFor();
    assert.ok(await page.locator(".point").count() >= 3, "what was shown stays");
    await page.getByRole("button", { name: "Review again" }).click();
    await page.getByRole("button", { name: "Stop" }).waitFor();
  });
});
