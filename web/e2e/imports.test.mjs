/** The modules of web/src: the direction of their imports, and their first comments. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
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

/** The modules by their paths below web/src, with their texts. */
const modules = new Map(readdirSync(SOURCE, { recursive: true })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => [path, readFileSync(new URL(path, SOURCE), "utf8")]));

/** The modules that a module imports, also as types. */
function importsOf(path) {
  return [...modules.get(path).matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].flatMap(([, name]) => {
    const target = new URL(name, new URL(path, SOURCE));
    const found = [".ts", ".tsx", ""].map((end) => target.href + end)
      .find((href) => existsSync(new URL(href)));
    const below = found?.startsWith(SOURCE.href) ? found.slice(SOURCE.href.length) : "";
    return modules.has(below) ? [below] : [];
  });
}

test("imports point from review, explore and inspect to engine, board, tree and ui", () => {
  for (const path of modules.keys()) {
    const [folder, file] = path.split("/");
    if (file === undefined) continue;
    assert.ok(ALLOWED[folder], `the folder ${folder} has no place in the order`);
    for (const target of importsOf(path)) {
      const other = target.split("/", 1)[0];
      assert.ok([folder, ...ALLOWED[folder]].includes(other), `${path} imports ${target}`);
    }
  }
});

test("no modules import each other", () => {
  const done = new Set();
  const visit = (path, way) => {
    assert.ok(!way.includes(path), [...way, path].join(" imports "));
    if (done.has(path)) return;
    for (const target of importsOf(path)) visit(target, [...way, path]);
    done.add(path);
  };
  for (const path of modules.keys()) visit(path, []);
  assert.ok(importsOf("App.tsx").length > 10, "imports are found");
});

test("the comment of a module begins with what the module is", () => {
  for (const [path, text] of modules) {
    const [, word] = /^\/\*\*\s+(?:\* )?(\w+)/.exec(text) ?? [];
    assert.ok(!/^(What|How|Whether|Where|Who|Why|When)$/.test(word), `${path}: ${word} …`);
  }
});
