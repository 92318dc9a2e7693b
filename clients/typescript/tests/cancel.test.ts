// Cancellation: the server's worker is free again.

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Kibitzer } from "kibitzer";
import WebSocket from "ws";
import { startKibitzer, until } from "./servers.js";

/** For a loaded machine. An idle one needs a few milliseconds. */
const MAX_MS = 1_000;

const server = await startKibitzer();
const client = new Kibitzer({ url: server.url, WebSocket });

async function expectRunning(): Promise<void> {
  await until(async () => (await server.searchesRunning()) === 1);
}

async function expectFree(t: TestContext): Promise<void> {
  const ms = await until(async () => (await server.searchesRunning()) === 0);
  t.diagnostic(`the worker was free after ${ms.toFixed(1)} ms`);
  assert.ok(ms < MAX_MS, `${ms} ms`);
}

test("aborting the signal of a stream frees the worker", async (t) => {
  const controller = new AbortController();
  const { signal } = controller;
  const stream = client.analysis({ fen: "startpos", infinite: true }, { signal });
  await stream.next();
  await expectRunning();
  controller.abort();
  await expectFree(t);
  await assert.rejects(stream.next(), { name: "AbortError" });
});

test("leaving the loop over a stream frees the worker", async (t) => {
  for await (const line of client.analysis({ fen: "startpos", infinite: true, fresh: true })) {
    assert.equal(line.type, "info");
    await expectRunning();
    break;
  }
  await expectFree(t);
});

test("aborting a best move frees the worker", async (t) => {
  const controller = new AbortController();
  const request = { fen: "startpos", movetime_ms: 60_000, fresh: true };
  const call = client.bestMove(request, { signal: controller.signal });
  const rejected = assert.rejects(call, { message: "enough" });
  await expectRunning();
  controller.abort(new Error("enough"));
  await rejected;
  await expectFree(t);
});

test("leaving the loop over a batch frees the worker", async (t) => {
  const slow = { fen: "startpos", movetime_ms: 60_000, fresh: true };
  for await (const line of client.batch([{ fen: "startpos", depth: 1 }, slow])) {
    assert.equal(line.type, "answer");
    await expectRunning();
    break;
  }
  await expectFree(t);
});

test("leaving the loop over a live analysis, and its signal, free the worker", async (t) => {
  const board = await client.live();
  for await (const line of board.go({ infinite: true })) {
    assert.equal(line.type, "info");
    await expectRunning();
    break;
  }
  await expectFree(t);
  const controller = new AbortController();
  const stream = board.go({ infinite: true }, { signal: controller.signal });
  await stream.next();
  await expectRunning();
  controller.abort();
  // The reader gets what came before.
  await assert.rejects(async () => {
    while (!(await stream.next()).done);
  }, { name: "AbortError" });
  await expectFree(t);
  const early = new AbortController();
  const unread = board.go({ infinite: true }, { signal: early.signal });
  await expectRunning();
  early.abort();
  await expectFree(t);
  await unread.return();
  board.close();
});

test("a signal that is aborted already sends nothing", async () => {
  const signal = AbortSignal.abort();
  await assert.rejects(client.engine({ signal }), { name: "AbortError" });
  await assert.rejects(client.live({ signal }), { name: "AbortError" });
  const stream = client.analysis({ fen: "startpos", infinite: true }, { signal });
  await assert.rejects(stream.next(), { name: "AbortError" });
  assert.equal(await server.searchesRunning(), 0);
});
