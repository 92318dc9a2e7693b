// Live boards of the real program.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Kibitzer, KibitzerError, KibitzerNetworkError, type AnalysisLine } from "kibitzer";
import WebSocket from "ws";
import { closedUrl, startFake, startKibitzer } from "./servers.js";

const DIGEST = "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"; // of "key"
const keys = `[[access.keys]]\nname = "tests"\nsha256 = "${DIGEST}"\n`;
const { url } = await startKibitzer(`${keys}[access]\nrequired = true\n[live]\nidle_ms = 1500\n`);
const client = new Kibitzer({ url, key: "key", WebSocket });

async function last(stream: AsyncIterable<AnalysisLine>) {
  let line: AnalysisLine | undefined;
  for await (line of stream);
  assert.ok(line?.type === "end");
  return line;
}

test("a board with a key opens by a ticket, and follows a game", async () => {
  const board = await client.live();
  const { fen } = await board.position({ fen: "startpos", moves: ["e4", "c5"] });
  assert.match(fen, / w KQkq /);
  const infos = [];
  for await (const line of board.go({ depth: 6, multipv: 2 })) {
    if (line.type === "info") infos.push(line);
  }
  assert.deepEqual([infos.at(-1)?.depth, infos.at(-1)?.lines.length], [6, 2]);
  assert.equal((await last(board.deeper(7))).reason, "depth");
  board.close();
  assert.equal((await board.closed).code, 1000);
});

test("a newer analysis replaces the running one", async () => {
  const board = await client.live();
  const older = last(board.go({ infinite: true }));
  const newer = last(board.go({ depth: 5 }));
  assert.equal((await older).reason, "replaced");
  assert.equal((await newer).reason, "depth");
  board.close();
});

test("the number of lines changes within one loop, and stop ends it", async () => {
  const board = await client.live();
  board.multipv(1);
  let reason;
  for await (const line of board.go({ infinite: true })) {
    if (line.type === "info" && line.lines.length === 1) board.multipv(3);
    if (line.type === "info" && line.lines.length === 3) board.stop();
    if (line.type === "end") reason = line.reason;
  }
  assert.equal(reason, "stopped");
  board.close();
});

test("aborting ends the wait for a position", async () => {
  const board = await client.live();
  const controller = new AbortController();
  const waiting = board.position({ fen: "startpos" }, { signal: controller.signal });
  controller.abort();
  await assert.rejects(waiting, { name: "AbortError" });
  await assert.rejects(board.position({}, { signal: controller.signal }), { name: "AbortError" });
  assert.match((await board.position({ fen: "startpos" })).fen, /^rnbqkbnr/);
  board.close();
});

test("a refused message is an error of its call alone", async () => {
  const board = await client.live();
  const running = last(board.go({ infinite: true }));
  await assert.rejects(board.position({ fen: "startpos", moves: ["e5"] }),
    { status: 422, code: "illegal_move" });
  board.stop();
  assert.equal((await running).reason, "stopped");
  board.close();
});

test("the end of the connection ends what waits for it", async () => {
  const board = await client.live();
  await assert.rejects(async () => {
    for await (const line of board.go({ infinite: true })) {
      assert.equal(line.type, "info");
      board.close();
    }
  }, KibitzerNetworkError);
  await assert.rejects(board.position({ fen: "startpos" }), KibitzerNetworkError);
});

test("the server closes an idle board with its code", async () => {
  const board = await client.live();
  assert.equal((await board.closed).code, 4000);
});

test("a refused board says why", async () => {
  await assert.rejects(new Kibitzer({ url, WebSocket }).live(),
    { status: 401, code: "unauthorized" });
  await assert.rejects(new Kibitzer({ url, key: "other", WebSocket }).live(),
    { status: 401, code: "unauthorized" });
  const forbidden = await startFake((_, response) => {
    response.writeHead(403).end(JSON.stringify({
      status: 403, code: "origin_refused", detail: "the origin is not listed",
    }));
  });
  const error = await new Kibitzer({ url: forbidden, WebSocket }).live().catch((e: unknown) => e);
  assert.ok(error instanceof KibitzerError);
  assert.deepEqual([error.status, error.code], [403, "origin_refused"]);
  await assert.rejects(new Kibitzer({ url: await closedUrl(), WebSocket }).live(),
    KibitzerNetworkError);
});

test("an origin that is not listed is an error that names it as a cause", async () => {
  class Foreign extends WebSocket {
    constructor(address: string, protocol: string) {
      super(address, protocol, { origin: "https://other.example" });
    }
  }
  const refused = new Kibitzer({ url, key: "key", WebSocket: Foreign }).live();
  await assert.rejects(refused, /does not list the origin of this page/);
});

test("a platform without WebSocket needs one", { skip: "WebSocket" in globalThis }, async () => {
  await assert.rejects(new Kibitzer({ url }).live(), /pass one as the option WebSocket/);
});
