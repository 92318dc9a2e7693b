/** The board when the server ends and starts again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { click, expectLines, expectMoves } from "./browser.mjs";
import { startServer, stopServer, withPage } from "./own-server.mjs";

test("the board stays usable without the server and resumes with it", async () => {
  let { server, address } = await startServer();
  try {
    await withPage(address, async (page, open) => {
      await open();
      await expectLines(page, "1\\.");
      // With the first move comes the code that judges.
      await click(page, "f2", "f3");
      await page.locator(".judgement:not(:has(.hint))").waitFor();
      await stopServer(server);
      await page.getByText("The server cannot be reached.").first().waitFor();
      // Nothing of the engine is needed to play, to step and to undo.
      await click(page, "g7", "g5");
      await click(page, "e2", "e4");
      await page.keyboard.press("Control+z");
      await expectMoves(page, "f3", "g5");
      await page.locator(".engine .details", { hasText: "The server cannot be reached." }).waitFor();
      await page.locator(".judgement", { hasText: "is judged when it is back" }).waitFor();
      ({ server } = await startServer({ listen: address }));
      // The server listens from now on.
      const start = performance.now();
      await page.getByText("Connected. The engine is searching.").waitFor();
      const waited = performance.now() - start;
      assert.ok(waited < 2_000, `resumed after ${Math.round(waited)} ms`);
      await expectLines(page, "2\\.");
      await expectMoves(page, "f3", "g5");
    });
  } finally {
    await stopServer(server);
  }
});
