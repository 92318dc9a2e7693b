// The example programs run in Node.js.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startKibitzer } from "./servers.js";

const server = await startKibitzer();

async function outputOf(example: string): Promise<string> {
  const file = fileURLToPath(new URL(`../examples/${example}.js`, import.meta.url));
  return (await promisify(execFile)(process.execPath, [file, server.url])).stdout;
}

test("the examples print what they say", async () => {
  assert.match(await outputOf("legal-moves"), /^30 moves: .*Nf3/);
  assert.match(await outputOf("best-move"), /^Ra8#, mate 1: Ra8#\nillegal_move: /);
  assert.match(await outputOf("stream"), /depth \d+: .*\ncancelled\n$/s);
  assert.equal(await server.searchesRunning(), 0);
  assert.match(await outputOf("review"), /^16 moves\n[\s\S]*\[%eval/);
});
