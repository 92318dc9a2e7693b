/** The page that the browser keeps: without the server, behind a proxy, and after an update. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { click, expectLines, launch } from "./browser.mjs";
import { startServer, stopServer, until } from "./own-server.mjs";
import { startSite } from "./site.mjs";

let server;
let site;
let browser;
let context;
let page;

const open = async () => {
  page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(`http://${site.address}/`);
};
before(async () => {
  const started = await startServer();
  ({ server } = started);
  site = await startSite(started.address);
  browser = await launch();
  context = await browser.newContext();
  await open();
});
after(async () => {
  await browser?.close();
  await site?.stop();
  await stopServer(server);
});

const board = () => page.locator("cg-board piece").first().waitFor();
const cacheNames = () => page.evaluate(async () => (await caches.keys()).sort());
const keptPaths = async () => {
  const names = await caches.keys();
  const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  return requests.flat().map(({ url }) => new URL(url).pathname).sort();
};

test("the browser keeps the page with its files, and no answer of the API", async () => {
  await expectLines(page, "1\\.");
  // A cache of an older version, which the worker removes.
  await page.evaluate(() => caches.open("board-old"));
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  const kept = await page.evaluate(keptPaths);
  assert.ok(kept.includes("/"));
  assert.ok(kept.some((path) => path.startsWith("/assets/SetupDialog")));
  assert.ok(kept.every((path) => path === "/" || path.startsWith("/assets/")), kept.join());
  const names = await cacheNames();
  assert.equal(names.length, 1);
  assert.match(names[0], /^board-[0-9a-f]{12}$/);
});

test("where a proxy has no page the kept one is shown, but a login of the proxy is", async () => {
  for (const status of [404, 410, 429, 503]) {
    site.answers.set("/", status);
    await page.reload();
    await board();
  }
  for (const status of [401, 403]) {
    site.answers.set("/", status);
    await page.reload();
    await page.getByText(`Status ${status} of the proxy`).waitFor();
  }
  site.answers.clear();
  await page.reload();
  await board();
});

test("a new version is taken when the last tab with the old one was closed", async () => {
  const [old] = await cacheNames();
  const version = old.slice("board-".length);
  site.answers.set("/", (text) => text.replace(/<title>[^<]*/, "<title>New version"));
  site.answers.set("/assets/service-worker.js", (text) => text.replace(version, "new"));
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
  const isWaiting = () => page.evaluate(async () =>
    (await navigator.serviceWorker.getRegistration()).waiting !== null);
  await until(isWaiting, "the new version is installed");
  assert.deepEqual(await cacheNames(), [old, "board-new"].sort());
  await page.close();
  await open();
  await until(async () => (await cacheNames()).join() === "board-new", "the old version is gone");
});

test("a reload without the server shows the board of the last version, which takes moves",
  async () => {
    await site.stop();
    await page.reload();
    await board();
    assert.equal(await page.title(), "New version");
    await page.getByText("The server cannot be reached.").first().waitFor();
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
  });
