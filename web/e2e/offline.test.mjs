/** The page after a reload without the server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { click, expectLines, launch, serveFiles } from "./browser.mjs";
import { startServer, stopServer } from "./own-server.mjs";

const keptPaths = async () => {
  const names = await caches.keys();
  const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  return requests.flat().map(({ url }) => new URL(url).pathname).sort();
};

test("a reload without the server shows the board, which takes moves", async () => {
  const { server, address } = await startServer();
  const browser = await launch();
  try {
    const context = await browser.newContext();
    await serveFiles(context);
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    await page.goto(`http://${address}/`);
    await expectLines(page, "1\\.");
    // A cache of an older version, which the worker removes.
    await page.evaluate(() => caches.open("board-old"));
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    const kept = await page.evaluate(keptPaths);
    assert.ok(kept.includes("/"));
    assert.ok(kept.some((path) => path.startsWith("/assets/SetupDialog")));
    assert.ok(kept.every((path) => path === "/" || path.startsWith("/assets/")), kept.join());
    assert.equal(await page.evaluate(async () => (await caches.keys()).length), 1);

    await context.unrouteAll();
    await stopServer(server);
    await page.reload();
    await page.locator("cg-board piece").first().waitFor();
    await page.getByText("The server cannot be reached.").waitFor();
    await click(page, "e2", "e4");
    await page.locator(".move", { hasText: "e4" }).waitFor();
    await page.getByRole("button", { name: "Set up" }).click();
    await page.getByRole("dialog", { name: "Set up position" }).locator("piece").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Settings" }).click();
    for (const name of ["Flat", "Shapes", "Letters"]) {
      await page.getByLabel(name, { exact: true }).check();
      await page.locator(`html[data-pieces="${name.toLowerCase()}"]`).waitFor();
    }
  } finally {
    await browser.close();
    await stopServer(server);
  }
});
