/** The board when the server ends and starts again. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { click, expectLines, launch, serveFiles } from "./browser.mjs";

const CONFIG = fileURLToPath(new URL("server.toml", import.meta.url));

/** Starts a server and waits for its address. */
async function startServer(listen) {
  const server = spawn(
    process.env.KIBITZER,
    ["serve", "--config", CONFIG, "--listen", listen],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  for await (const line of createInterface({ input: server.stdout })) {
    const { message, address } = JSON.parse(line);
    if (message === "listening") {
      server.stdout.resume();
      return { server, address };
    }
  }
  throw new Error("the server did not start");
}

async function stop(server) {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, "exit");
  server.kill("SIGKILL");
  await exit;
}

test("the board stays usable without the server and resumes with it", async () => {
  let { server, address } = await startServer("127.0.0.1:0");
  const browser = await launch();
  try {
    const context = await browser.newContext();
    await serveFiles(context);
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    await page.goto(`http://${address}/`);
    await expectLines(page, "1\\.");
    await stop(server);
    await page.getByText("The server cannot be reached.").waitFor();
    await click(page, "e2", "e4");
    await page.locator(".move", { hasText: "e4" }).waitFor();
    ({ server } = await startServer(address));
    const start = performance.now();
    await expectLines(page, "1…");
    const waited = performance.now() - start;
    assert.ok(waited < 4_000, `resumed after ${Math.round(waited)} ms`);
  } finally {
    await browser.close();
    await stop(server);
  }
});
