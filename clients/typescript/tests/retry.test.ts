// Repetitions of requests, against a server that counts them.

import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { Kibitzer } from "kibitzer";
import { startFake } from "./servers.js";

const problem = {
  type: "/problems/queue_full", title: "", detail: "the queue is full", instance: "/",
  request_id: "1",
};

/** A server that refuses the first requests, and the requests that it got. */
async function refusing(
  count: number, { status = 503, waitMs = 30, retryAfter = "1" } = {},
): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const url = await startFake((request, response) => {
    requests.push(request);
    if (requests.length > count) {
      response.end("{\"name\":\"kibitzer\"}");
      return;
    }
    const code = status === 503 ? "queue_full" : "rate_limited";
    response.writeHead(status, { "retry-after": retryAfter });
    response.end(JSON.stringify({ ...problem, status, code, retry_after_ms: waitMs }));
  });
  return { url, requests };
}

test("429 and 503 are repeated after the time that the server names", async () => {
  for (const status of [429, 503]) {
    const { url, requests } = await refusing(2, { status });
    const start = performance.now();
    assert.equal((await new Kibitzer({ url }).engine()).name, "kibitzer");
    assert.ok(performance.now() - start >= 58);
    assert.equal(requests.length, 3);
  }
});

test("the number of tries is bounded", async () => {
  const { url, requests } = await refusing(9);
  const client = new Kibitzer({ url, retry: { attempts: 2 } });
  await assert.rejects(client.engine(), { status: 503, code: "queue_full", retryAfterMs: 30 });
  assert.equal(requests.length, 3);
});

test("a wait beyond the bound is not begun", async () => {
  const { url, requests } = await refusing(9, { waitMs: 60_000 });
  await assert.rejects(new Kibitzer({ url }).engine(), { retryAfterMs: 60_000 });
  assert.equal(requests.length, 1);
});

test("no other status is repeated", async () => {
  const { url, requests } = await refusing(9, { status: 500 });
  await assert.rejects(new Kibitzer({ url }).engine(), { status: 500 });
  assert.equal(requests.length, 1);
});

test("a proxy's 503 is repeated by Retry-After alone", async () => {
  const waits = ["0", "0"];
  const url = await startFake((_, response) => {
    const wait = waits.shift();
    if (wait === undefined) {
      response.end("{}");
    } else {
      response.writeHead(503, { "retry-after": wait }).end("<html>");
    }
  });
  await new Kibitzer({ url }).engine();
});

test("a repeated submission has the same idempotency key", async () => {
  const { url, requests } = await refusing(1);
  await new Kibitzer({ url }).games.submit("1. e4 *");
  const keys = requests.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys.length, 2);
  assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
  assert.equal(keys[0], keys[1]);
});

test("aborting ends the wait for a repetition", async () => {
  const { url, requests } = await refusing(9, { waitMs: 5_000 });
  const controller = new AbortController();
  const call = new Kibitzer({ url }).engine({ signal: controller.signal });
  setTimeout(() => controller.abort(), 50);
  await assert.rejects(call, { name: "AbortError" });
  assert.equal(requests.length, 1);
});
