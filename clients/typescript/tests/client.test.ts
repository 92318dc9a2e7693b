// Each method against the real program.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Kibitzer, type BatchResponseLine } from "kibitzer";
import { startKibitzer } from "./servers.js";

const syzygy = `[syzygy]\npaths = [${JSON.stringify(process.env["SYZYGY"])}]\n`;
const { url } = await startKibitzer(syzygy);
const client = new Kibitzer({ url });

test("positions are described", async () => {
  const { count, dests } = await client.legalMoves({ fen: "startpos", moves: ["e4", "c5"] });
  assert.equal(count, 30);
  assert.deepEqual(dests["g1"], ["e2", "f3", "h3"]);
  const { views } = await client.position({ fen: "startpos", views: ["special"] });
  assert.equal(views.special, 15);
  const { plies } = await client.play({ fen: "startpos", moves: ["e4", "e5"], undo: 1 });
  assert.deepEqual(plies.map(({ san }) => san), ["e4"]);
  assert.equal((await client.perft({ fen: "startpos", depth: 3 })).nodes, 8902);
});

test("positions are judged", async () => {
  const evaluation = await client.evaluate({ fen: "startpos" });
  assert.equal(evaluation.score?.type, "cp");
  const answer = await client.bestMove({ fen: "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", depth: 4 });
  assert.equal(answer.best_move_san, "Ra8#");
  const { moves } = await client.explore({
    fen: "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", moves: ["Kf1", "Kf8"], depth: 1,
  });
  assert.ok(moves && moves.length > 0);
  const { judgement } = await client.judgement({
    before: { type: "cp", value: 50 }, after: { type: "cp", value: -400 },
  });
  assert.equal(judgement, "blunder");
});

test("endgames are looked up", async () => {
  const { category, moves } = await client.tablebase({ fen: "8/8/8/8/8/8/2Q5/k1K5 b - - 0 1" });
  assert.equal(category, "draw");
  assert.deepEqual(moves, []);
});

test("the server describes itself", async () => {
  assert.equal((await client.engine()).name, "kibitzer");
  assert.equal((await client.limits()).workers, 1);
});

test("an analysis is a loop over lines, the last of which is the end", async () => {
  const types = [];
  for await (const line of client.analysis({ fen: "startpos", depth: 6, multipv: 2 })) {
    types.push(line.type);
    if (line.type === "info") assert.equal(line.lines.length, 2);
    if (line.type === "end") assert.equal(line.reason, "depth");
  }
  assert.ok(types.includes("info"));
  assert.equal(types.at(-1), "end");
});

test("a batch answers each request, also a bad one", async () => {
  const lines: BatchResponseLine[] = [];
  const requests = [
    { id: "a", fen: "startpos", depth: 2 },
    { id: "b", fen: "no position", depth: 2 },
    { id: "c", fen: "startpos", depth: 2, multipv: 2 },
  ];
  for await (const line of client.batch(requests)) lines.push(line);
  const end = lines.pop();
  assert.ok(end?.type === "end" && end.answered === 2 && end.failed === 1);
  const byId = new Map(lines.map((line) => ["id" in line ? line.id : null, line]));
  const bad = byId.get("b");
  assert.ok(bad?.type === "error" && bad.error.code === "invalid_fen");
  const wide = byId.get("c");
  assert.ok(wide && "lines" in wide && wide.lines.length === 2);
});

test("a loop may take longer than the server may be silent", async () => {
  const patient = new Kibitzer({ url, timeoutMs: 1_000 });
  const requests = Array.from({ length: 3 }, () => ({ fen: "startpos", depth: 2 }));
  const types = [];
  for await (const line of patient.batch(requests)) {
    if (types.length === 0) await setTimeout(1_200);
    types.push(line.type);
  }
  assert.deepEqual(types, ["answer", "answer", "answer", "end"]);
});

test("a game is submitted, followed, read and stopped", async () => {
  const pgn = "[White \"Ærø\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
  const { id, moves } = await client.games.submit(pgn, { nodes: 500 });
  assert.equal(moves, 4);
  const types = [];
  for await (const event of client.games.events(id)) types.push(event.type);
  assert.deepEqual(types.filter((type) => type !== "heartbeat"),
    ["move", "move", "move", "move", "game", "end"]);
  const { status, games } = await client.games.status(id, { pov: "white" });
  assert.equal(status, "done");
  assert.equal(games[0]?.moves.length, 4);
  assert.match(await client.games.pgn(id), /Ærø[\s\S]*%eval/);
  await client.games.stop(id);
  await client.games.stop(id);
  await assert.rejects(client.games.status(id), { status: 410, code: "gone" });
});
