/**
 * Snippets for chess-api.com and stockfish.online in a browser's console, with the host replaced:
 * on pages of the server, of an origin that CORS allows, and of another one.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { startServer, stopServer } from "./own-server.mjs";

const FEN = "8/1P1R4/n1r2B2/3Pp3/1k4P1/6K1/Bppr1P2/2q5 w - - 0 1";

/** The members that the documentation of chess-api.com shows. */
const DOCUMENTED = [
  "text", "eval", "move", "fen", "depth", "winChance", "continuationArr", "mate", "centipawns",
  "san", "lan", "turn", "color", "piece", "flags", "isCapture", "isCastling", "isPromotion", "from",
  "to", "fromNumeric", "toNumeric", "taskId", "time", "type",
];

const POST = (host) => `
  const postChessApi = async (data = {}) => {
    const response = await fetch("http://${host}/v1", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(data),
    });
    return response.json();
  };
  Promise.all([
    postChessApi({ fen: "${FEN}" }),
    postChessApi({ input: "<div><b>1.</b> e4 e5 <b>2.</b> Nf3</div>" }),
    postChessApi({ fen: "none" }),
  ])`;

const SOCKET = (host) => `
  new Promise((resolve, reject) => {
    const messages = [];
    const ws = new WebSocket("ws://${host}/v1");
    ws.onmessage = (event) => {
      const message = JSON.parse(event.data);
      messages.push(message);
      if (message.type === "bestmove") { ws.close(); resolve(messages); }
    };
    ws.onerror = () => reject(new Error("the socket failed"));
    ws.onopen = () => ws.send(JSON.stringify({ fen: "${FEN}", variants: 2, depth: 8 }));
  })`;

const GET = (host) => `
  fetch("http://${host}/api/s/v2.php?fen=${FEN}&depth=8").then((response) => response.json())`;

let server;
let address;
let sites;
let browser;

/** Starts an empty site, which is a page of another origin. */
async function startSite() {
  const site = createServer((_, answer) => {
    answer.writeHead(200, { "content-type": "text/html" });
    answer.end("<!doctype html><title>Site</title>");
  }).listen(0, "127.0.0.1");
  await once(site, "listening");
  return { site, origin: `http://127.0.0.1:${site.address().port}` };
}

before(async () => {
  sites = await Promise.all([startSite(), startSite()]);
  const env = { KIBITZER__HTTP__CORS_ORIGINS: sites[0].origin };
  // The analysis board holds one worker.
  ({ server, address } = await startServer({ env, workers: 2 }));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  sites?.forEach(({ site }) => site.close());
  await stopServer(server);
});

/** Calls `use` with a function that runs a script in the console of a page. */
async function withConsole(url, use) {
  const page = await browser.newPage();
  try {
    await page.goto(url, { waitUntil: "commit" });
    await use((script) => page.evaluate(script(address)));
  } finally {
    await page.close();
  }
}

async function checkSnippets(run) {
  const [byFen, byText, error] = await run(POST);
  assert.deepEqual(DOCUMENTED.filter((name) => !(name in byFen)), [], JSON.stringify(byFen));
  assert.equal(byFen.fen, FEN);
  assert.equal(byFen.type, "bestmove");
  assert.equal(byText.turn, "b");
  assert.equal(error.error, "INVALID_FEN_VALIDATION_ERROR");
  const messages = await run(SOCKET);
  assert.ok(messages.length > 1);
  assert.ok(messages.slice(0, -1).every(({ type }) => type === "move"));
  assert.deepEqual(DOCUMENTED.filter((name) => !(name in messages.at(-1))), []);
  const answer = await run(GET);
  assert.equal(answer.success, true);
  assert.match(answer.bestmove, /^bestmove [a-h][1-8][a-h][1-8][nbrq]?( ponder |$)/);
  assert.equal(answer.continuation.split(" ")[0], answer.bestmove.split(" ")[1]);
}

test("the snippets work on a page of the server", async () => {
  await withConsole(`http://${address}/`, checkSnippets);
});

test("the snippets work on a page of an origin that CORS allows", async () => {
  await withConsole(sites[0].origin, checkSnippets);
});

test("a page of another origin gets nothing", async () => {
  await withConsole(sites[1].origin, async (run) => {
    for (const script of [POST, SOCKET, GET]) {
      await assert.rejects(run(script), /Failed to fetch|the socket failed/);
    }
  });
});
