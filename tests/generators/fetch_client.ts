// A program on openapi-fetch with the types of openapi-typescript, run against a server.

import assert from "node:assert/strict";
import { test } from "node:test";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.d.ts";

type Schemas = components["schemas"];

const client = createClient<paths>({ baseUrl: process.env.KIBITZER_URL ?? "" });

// Each line of a stream of NDJSON. The compiler does not know the type of a line.
async function* lines(stream: Response["body"]): AsyncGenerator<unknown> {
  assert.ok(stream);
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const complete = (rest + text).split("\n");
    rest = complete.pop() ?? "";
    for (const line of complete) {
      yield JSON.parse(line);
    }
  }
  assert.equal(rest, "");
}

test("a best move needs no member that has a default", async () => {
  const { data } = await client.POST("/v1/best-move", {
    body: { fen: "startpos", moves: ["e4", "e5"], depth: 3 },
  });
  assert.equal(data?.status, "ongoing");
  assert.equal(typeof data.best_move_san, "string");
  const score: Schemas["Score"] | null = data.score;
  assert.equal(score?.type, "cp");
});

test("legal moves come by GET and by POST", async () => {
  const { data: byPost } = await client.POST("/v1/legal-moves", { body: { fen: "startpos" } });
  assert.equal(byPost?.moves[0]?.uci, "b1a3");
  const query = { fen: "startpos", moves: ["e4", "c5"] };
  const { data: byGet } = await client.GET("/v1/legal-moves", { params: { query } });
  assert.deepEqual(byGet?.dests["g1"], ["e2", "f3", "h3"]);
});

test("an error is a problem document", async () => {
  const { data, error, response } = await client.POST("/v1/legal-moves", {
    body: { fen: "startpos", moves: ["e5"] },
  });
  assert.equal(data, undefined);
  assert.equal(response.status, 422);
  assert.equal(error?.code, "illegal_move");
  assert.equal(error.why, "not_legal");
});

test("a batch is NDJSON in both directions", async () => {
  const requests: Schemas["BatchRequest"][] = [
    { id: "a", fen: "startpos", depth: 2 },
    { id: "b", fen: "no position", depth: 2 },
    { id: "c", fen: "startpos", depth: 2, multipv: 2 },
  ];
  const { data } = await client.POST("/v1/batch", {
    body: requests.map((request) => JSON.stringify(request)).join("\n"),
    bodySerializer: (text) => text,
    headers: { "Content-Type": "application/x-ndjson" },
    parseAs: "stream",
  });
  const answers = new Map<unknown, Exclude<Schemas["BatchResponseLine"], Schemas["BatchEnd"]>>();
  for await (const value of lines(data ?? null)) {
    const line = value as Schemas["BatchResponseLine"];
    if ("reason" in line && "answered" in line) {
      assert.deepEqual([line.answered, line.failed], [2, 1]);
    } else {
      answers.set(line.id, line);
    }
  }
  const [first, second, third] = [answers.get("a"), answers.get("b"), answers.get("c")];
  assert.ok(first && "best_move" in first && first.best_move);
  assert.ok(second && "error" in second && second.error.code === "invalid_fen");
  assert.ok(third && "lines" in third && third.lines.length === 2);
});

test("an analysis is one document or a stream", async () => {
  const body: Schemas["AnalysisRequest"] = { fen: "startpos", depth: 3, multipv: 2, fresh: true };
  const { data: stream } = await client.POST("/v1/analysis", {
    body,
    headers: { Accept: "application/x-ndjson" },
    parseAs: "stream",
  });
  const kinds = [];
  for await (const value of lines(stream ?? null)) {
    const line = value as Schemas["StreamLine"];
    kinds.push(line.type);
    if (line.type === "info") {
      assert.equal(line.lines.length, 2);
    } else if (line.type === "end") {
      assert.equal(line.reason, "depth");
    }
  }
  assert.ok(kinds.includes("info"));
  assert.equal(kinds.at(-1), "end");

  const { data } = await client.POST("/v1/analysis", { body });
  const answer = data as Schemas["AnalysisAnswer"];
  assert.equal(answer.lines.length, 2);
});
