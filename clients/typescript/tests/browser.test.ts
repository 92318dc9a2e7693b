// The examples run in Chromium, on a page of another origin than the server's.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { chromium } from "playwright-core";
import { startFake, startKibitzer, until } from "./servers.js";

const PACKAGE = new URL("../../", import.meta.url);
const EXAMPLES = ["legal-moves", "best-move", "stream", "review"];

const page = (example: string) => `<!doctype html>
<script type="importmap">{ "imports": { "kibitzer": "/dist/index.js" } }</script>
<script type="module" src="/build/examples/${example}.js"></script>`;

const LIVE = `<!doctype html>
<script type="importmap">{ "imports": { "kibitzer": "/dist/index.js" } }</script>
<script type="module">
  import { Kibitzer } from "kibitzer";
  const url = new URLSearchParams(location.search).get("server");
  const board = await new Kibitzer({ url }).live();
  for await (const line of board.go({ infinite: true })) {
    if (line.type === "info" && line.depth >= 5) break;
  }
  board.close();
  console.log("live");
</script>`;

const origin = await startFake(async (request, response) => {
  const { pathname } = new URL(request.url ?? "", "http://page");
  if (pathname.endsWith(".js")) {
    response.writeHead(200, { "content-type": "text/javascript" });
    response.end(await readFile(new URL(`.${pathname}`, PACKAGE)));
  } else {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(pathname === "/live" ? LIVE : page(pathname.slice(1)));
  }
});
const server = await startKibitzer(`[http]\ncors_origins = ["${origin}"]\n`);
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "",
  // The tests must also run as root and without a network.
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
after(() => browser.close());

/** Opens a page and waits until its console has this text. */
async function run(path: string, expected: RegExp): Promise<void> {
  const tab = await browser.newPage();
  let text = "";
  tab.on("console", (message) => {
    // The browser reports refusals that a page handles.
    if (!message.text().startsWith("Failed to load resource")) text += `${message.text()}\n`;
  });
  tab.on("pageerror", (error) => {
    text += `${error.message}\n`;
  });
  await tab.goto(`${origin}/${path}?server=${server.url}`);
  await until(async () => expected.test(text)).catch(() => assert.match(text, expected));
  await tab.close();
}

test("the examples run on a page", async () => {
  const expected = [
    /30 moves: .*Nf3/, /Ra8#, mate 1: Ra8#\nillegal_move: /, /depth \d+: .*\ncancelled/s, /\[%eval/,
  ];
  for (const [index, example] of EXAMPLES.entries()) {
    await run(example, expected[index] ?? /never/);
  }
  await until(async () => (await server.searchesRunning()) === 0);
});

test("a live board needs nothing but the browser", async () => {
  await run("live", /^live/m);
  await until(async () => (await server.searchesRunning()) === 0);
});
