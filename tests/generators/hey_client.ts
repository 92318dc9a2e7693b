// A program on a client by @hey-api/openapi-ts, run against a server.

import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, bestMove, followAnalysis, legalMoves, showLegalMoves } from "./hey";
import type { BatchRequest, BatchResponseLine, StreamLine } from "./hey";
import { client } from "./hey/client.gen";

client.setConfig({ baseUrl: process.env.KIBITZER_URL ?? "" });

test("a best move needs no member that has a default", async () => {
  const { data } = await bestMove({ body: { fen: "startpos", moves: ["e4", "e5"], depth: 3 } });
  assert.equal(data?.status, "ongoing");
  assert.equal(typeof data.best_move_san, "string");
  assert.equal(data.score?.type, "cp");
});

test("legal moves come by GET and by POST", async () => {
  const { data: byPost } = await legalMoves({ body: { fen: "startpos" } });
  assert.equal(byPost?.moves[0]?.uci, "b1a3");
  const { data: byGet } = await showLegalMoves({ query: { fen: "startpos", moves: ["e4", "c5"] } });
  assert.deepEqual(byGet?.dests["g1"], ["e2", "f3", "h3"]);
});

test("an error is a problem document", async () => {
  const { data, error } = await legalMoves({ body: { fen: "startpos", moves: ["e5"] } });
  assert.equal(data, undefined);
  assert.ok(error && "code" in error);
  assert.equal(error.code, "illegal_move");
  assert.equal(error.why, "not_legal");
});

test("a batch is NDJSON in both directions", async () => {
  const requests: BatchRequest[] = [
    { id: "a", fen: "startpos", depth: 2 },
    { id: "b", fen: "no position", depth: 2 },
    { id: "c", fen: "startpos", depth: 2, multipv: 2 },
  ];
  // The function `batch` would send the text as a JSON string.
  const { data } = await client.post({
    url: "/v1/batch",
    body: requests.map((request) => JSON.stringify(request)).join("\n"),
    bodySerializer: null,
    headers: { "Content-Type": "application/x-ndjson" },
    parseAs: "text",
  });
  const lines = String(data).trim().split("\n");
  const answers = lines.map((line) => JSON.parse(line) as BatchResponseLine);
  assert.ok(answers.some((line) => "best_move" in line && line.id === "a"));
  assert.ok(answers.some((line) => "lines" in line && line.lines.length === 2));
  assert.ok(answers.some((line) => "error" in line && line.error.code === "invalid_fen"));
  const end = answers.at(-1);
  assert.ok(end && "answered" in end && end.answered === 2 && end.failed === 1);
});

test("an analysis is one document or server-sent events", async () => {
  const { data } = await analyse({ body: { fen: "startpos", depth: 3, multipv: 2 } });
  assert.equal(data?.lines.length, 2);

  const query = { fen: "startpos", depth: 3, multipv: 2, fresh: true };
  const { stream } = await followAnalysis({ query });
  const kinds: StreamLine["type"][] = [];
  for await (const line of stream) {
    assert.ok(line);
    kinds.push(line.type);
    if (line.type === "info") {
      assert.equal(line.lines.length, 2);
    } else if (line.type === "end") {
      assert.equal(line.reason, "depth");
    }
  }
  assert.ok(kinds.includes("info"));
  assert.equal(kinds.at(-1), "end");
});
