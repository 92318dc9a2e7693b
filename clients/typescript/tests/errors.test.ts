// Refusals, servers that are gone and answers that are not kibitzer's.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Kibitzer, KibitzerError, KibitzerNetworkError, type AnalysisLine } from "kibitzer";
import { closedUrl, startBreakingProxy, startFake, startKibitzer } from "./servers.js";

const DIGEST = "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"; // of "key"
const open = await startKibitzer();
const limited = await startKibitzer(`
[[access.keys]]
name = "tests"
sha256 = "${DIGEST}"
requests = 2
window_ms = 600000
[access]
required = true
`);

/** Runs a stream to its end. */
async function read<Line>(stream: AsyncIterable<Line>): Promise<Line[]> {
  const lines = [];
  for await (const line of stream) lines.push(line);
  return lines;
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(() => assert.fail("no error"), (error: unknown) => error);
}

test("a url without a scheme is refused at once", () => {
  const urls = ["localhost:8080", "//localhost", "ftp://localhost", "http://", "", "http://x?a"];
  for (const url of [...urls, "http://x:y", "http://u@x"]) {
    assert.throws(() => new Kibitzer({ url }), (error) => {
      return error instanceof TypeError && error.message.startsWith(`url is "${url}"; it must `);
    });
  }
});

test("a key that no header can carry is refused at once", async () => {
  for (const key of ["", "two words", "Schlüssel", "line\n"]) {
    assert.throws(() => new Kibitzer({ url: open.url, key }), /^TypeError: key must be visible/);
  }
  const submission = new Kibitzer({ url: open.url }).games.submit("", {}, { idempotencyKey: "é" });
  await assert.rejects(submission, /^TypeError: idempotencyKey must be visible/);
});

test("a refusal has the members of the problem", async () => {
  const client = new Kibitzer({ url: open.url });
  const error = await errorOf(client.legalMoves({ fen: "8/8/8/8/8/8/8/8 w - - 0 1" }));
  assert.ok(error instanceof KibitzerError);
  assert.deepEqual([error.status, error.code], [422, "invalid_fen"]);
  assert.deepEqual(error.errors.map(({ code }) => code), ["no_king", "no_king"]);
  assert.ok(error.message.includes(error.detail));
  assert.equal(error.problem?.instance, "/v1/legal-moves");
  await assert.rejects(read(client.analysis({ fen: "startpos", depth: 0 })),
    { status: 422, code: "invalid_request" });
  await assert.rejects(client.legalMoves({ fen: "x".repeat(100_000) }),
    { status: 413, code: "body_too_large" });
});

test("keys and rates are refused by their codes", async () => {
  const { url } = limited;
  await assert.rejects(new Kibitzer({ url }).engine(), { status: 401, code: "unauthorized" });
  const client = new Kibitzer({ url, key: "key", retry: false });
  await client.engine();
  await client.engine();
  const error = await errorOf(client.engine());
  assert.ok(error instanceof KibitzerError);
  assert.deepEqual([error.status, error.code], [429, "rate_limited"]);
  assert.ok(error.retryAfterMs !== null && error.retryAfterMs > 10_000);
  // The wait is longer than a repetition may take, so that the error comes at once.
  await assert.rejects(new Kibitzer({ url, key: "key" }).engine(), { status: 429 });
});

test("a server that is gone is a network error with its reason", async () => {
  const client = new Kibitzer({ url: await closedUrl() });
  for (const call of [client.engine(), read(client.analysis({ fen: "startpos" }))]) {
    const error = await errorOf(call);
    assert.ok(error instanceof KibitzerNetworkError);
    assert.match(error.message, /ECONNREFUSED/);
  }
});

test("a silent server is a network error", async () => {
  const url = await startFake(() => undefined);
  const error = await errorOf(new Kibitzer({ url, timeoutMs: 50 }).engine());
  assert.ok(error instanceof KibitzerNetworkError);
  assert.equal(error.message, "GET /v1/engine: no answer within 50 ms");
});

test("the page of a proxy is an unexpected answer", async () => {
  const statuses = [502, 403, 200];
  const url = await startFake((_, response) => {
    response.writeHead(statuses.shift() ?? 500, { "content-type": "text/html" });
    response.end("<html>Bad gateway</html>");
  });
  const client = new Kibitzer({ url });
  for (const status of [502, 403, 200]) {
    const error = await errorOf(client.engine());
    assert.ok(error instanceof KibitzerError);
    assert.deepEqual([error.status, error.code], [status, "unexpected_answer"]);
    assert.match(error.detail, /Bad gateway/);
  }
});

test("a redirection is not followed", async () => {
  const url = await startFake((_, response) => {
    response.writeHead(301, { location: "https://other.example/" }).end();
  });
  const error = await errorOf(new Kibitzer({ url, key: "secret" }).engine());
  assert.ok(error instanceof KibitzerError);
  assert.match(error.detail, /redirects to https:\/\/other\.example\//);
});

test("a stream that breaks off is a network error after its lines", async () => {
  const url = await startBreakingProxy(open.url, [2_000]);
  const lines: AnalysisLine[] = [];
  const error = await errorOf((async () => {
    for await (const line of new Kibitzer({ url }).analysis({ fen: "startpos", infinite: true })) {
      lines.push(line);
    }
  })());
  assert.ok(error instanceof KibitzerNetworkError);
  assert.ok(lines.length > 0);
});

test("a stream that ends between two lines broke off too", async () => {
  const url = await startFake((_, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.end("{\"type\":\"queued\",\"position\":1}\n");
  });
  const client = new Kibitzer({ url });
  for (const stream of [client.analysis({ fen: "startpos" }), client.batch([])]) {
    const error = await errorOf(read<unknown>(stream));
    assert.ok(error instanceof KibitzerNetworkError);
    assert.match(error.message, /broke off before its end/);
  }
});

test("a line that is no JSON, and a problem line, are errors", async () => {
  const problem = "{\"type\":\"problem\",\"status\":500,\"code\":\"internal\"}\n";
  const texts = ["<html>\n", "null\n", problem];
  const url = await startFake((_, response) => {
    response.end(texts.shift());
  });
  const client = new Kibitzer({ url });
  for (const stream of [client.analysis({ fen: "startpos" }), client.batch([])]) {
    await assert.rejects(read<unknown>(stream), { code: "unexpected_answer" });
  }
  await assert.rejects(read(client.analysis({ fen: "startpos" })), { code: "internal" });
});
