/** The folders of web/src import each other in one direction only. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const SOURCE = new URL("../src/", import.meta.url);

/** The folders that a folder may import, besides itself. */
const ALLOWED = {
  ui: [],
  tree: ["ui"],
  board: ["ui", "tree"],
  engine: ["ui", "tree", "board"],
  review: ["ui", "tree", "board", "engine"],
  explore: ["ui", "tree", "board", "engine"],
  inspect: ["ui", "tree", "board", "engine"],
};

test("imports point from review, explore and inspect to engine, board, tree and ui", () => {
  const folders = readdirSync(SOURCE, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  for (const { name: folder } of folders) {
    const allowed = ALLOWED[folder];
    assert.ok(allowed, `the folder ${folder} has no place in the order`);
    for (const file of readdirSync(new URL(`${folder}/`, SOURCE))) {
      const text = readFileSync(new URL(`${folder}/${file}`, SOURCE), "utf8");
      for (const [, target] of text.matchAll(/(?:from|import\()\s*"\.\.\/([^/"]+)/g)) {
        assert.ok(allowed.includes(target), `${folder}/${file} imports ${target}`);
      }
    }
  }
});
