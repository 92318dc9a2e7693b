import { expect, test } from "vitest";
import { scanGames, type GameText } from "./pgn-scan";
import { writePgn } from "./pgn-write";
import { randomTree, readGame } from "./random-games";
import { mainLine, newTree, nodeOf, pathTo, ROOT, type NodeId, type Tree } from "./tree";

const games = (text: string): GameText[] => [...scanGames(text)].filter((game) => game !== null);
const read = (text: string) => readGame(games(text)[0]!);
const treeOf = (text: string): Tree => read(text).tree!;
const main = (tree: Tree) => mainLine(tree).flatMap(({ san }) => san ?? []).join(" ");

/** A tree without the ids of its nodes, which depend on the order of the edits. */
function contentOf(tree: Tree) {
  const nodes: unknown[] = [];
  const pending: NodeId[] = [ROOT];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const { id: _, parent: __, children, ...content } = nodeOf(tree, id);
    nodes.push({ ...content, depth: pathTo(tree, id).length, children: children.length });
    pending.push(...children.toReversed());
  }
  return { nodes, headers: [...tree.headers] };
}

test("1,000 games with variations, glyphs, comments and Chess960 survive a round trip", () => {
  const seen = { nodes: 0, variations: 0, comments: 0, nags: 0, chess960: 0 };
  for (let seed = 1; seed <= 1_000; seed++) {
    const tree = randomTree(seed);
    const pgn = writePgn(tree);
    const again = read(pgn);
    expect(again.problems).toEqual([]);
    expect(contentOf(again.tree!), pgn).toEqual(contentOf(tree));
    expect(writePgn(again.tree!)).toBe(pgn);
    for (const { children, comments, nags } of tree.nodes.values()) {
      seen.nodes += 1;
      seen.variations += Math.max(0, children.length - 1);
      seen.comments += comments.length;
      seen.nags += nags.length;
    }
    seen.chess960 += tree.headers.get("Variant") === "Chess960" ? 1 : 0;
  }
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(200);
}, 240_000);

test("all that a game has is read", () => {
  const tree = treeOf(`[Event "Match \\"A\\""]\r
[Site "C:\\\\games"]\r
[Result "1-0"]\r
\r
{ Before } 1. e4! $14 { [%clk 0:03:00] best } ( { Or } 1. d4 d5 (1... Nf6!?) 2. c4 ) 1... e5\r
{ two\r
lines } 2. Nf3 ; to the end } of the line\r
Nc6 1-0\r
`);
  expect([...tree.headers]).toEqual([
    ["Event", "Match \"A\""], ["Site", "C:\\games"], ["Result", "1-0"],
  ]);
  expect(main(tree)).toBe("e4 e5 Nf3 Nc6");
  const [root, first, second, third] = mainLine(tree);
  expect(root?.comments).toEqual(["Before"]);
  expect(first).toMatchObject({ nags: [1, 14], comments: ["[%clk 0:03:00] best"] });
  expect(second?.comments).toEqual(["two\nlines"]);
  expect(third?.comments).toEqual(["to the end ) of the line"]);
  const variation = nodeOf(tree, root!.children[1]!);
  expect(variation).toMatchObject({ san: "d4", startingComments: ["Or"] });
  expect(variation.children.map((id) => nodeOf(tree, id).san)).toEqual(["d5", "Nf6"]);
});

test("files of the world are split into their games", () => {
  const named = (text: string) => games(text).map(({ tags, moves, line }) =>
    `${line} ${tags.get("Event") ?? "–"}: ${moves.replaceAll("\n", " ")}`);
  expect(named('\ufeff[Event "A"]\n\n1. e4 *\n\n\n[Event "B"]\n1. d4 *\n[Event "C"]\n\n1. c4 *'))
    .toEqual(["1 A: 1. e4 *", "6 B: 1. d4 *", "8 C: 1. c4 *"]);
  expect(named("1. e4 e5 1-0\n\n1. d4 d5 0-1")).toEqual(["1 –: 1. e4 e5 1-0", "3 –: 1. d4 d5 0-1"]);
  expect(named('[Event "A"]\n\n1. e4\n\n1... e5\n% escaped\n2. Nf3'))
    .toEqual(["1 A: 1. e4 1... e5 2. Nf3"]);
  expect(named('[Event "A"]\n[Site "B"]\n\n[Event "C"]\n\n1. e4')).toEqual(["1 A: ", "4 C: 1. e4"]);
  expect(named('[Event "A"] [Site "B"] 1. e4 {\n\n[Site "C"]\n}')).toEqual([
    '1 A:  1. e4 {  [Site "C"] }',
  ]);
  expect(named(" \n\n")).toEqual([]);
});

test("a comment that is never closed ends with its game", () => {
  const [bad, good] = games('[Event "A"]\n\n1. e4 { oh\n\n[Event "B"]\n\n1. d4 *');
  expect(readGame(bad!)).toMatchObject({ problems: ["A comment is not closed with “}”."] });
  expect(nodeOf(readGame(bad!).tree!, 1).comments).toEqual(["oh\n"]);
  expect(readGame(good!).problems).toEqual([]);
});

test("an illegal move is named and the moves before it can be opened", () => {
  const { tree, problems } = read("1. e4 e5 2. Ke3 (2. Nf3 Nc6 3. Bb5 Qd8) Nc6 3. Nf3");
  expect(main(tree!)).toBe("e4 e5 Nf3 Nc6 Bb5");
  expect(problems).toEqual([
    "2. Ke3 is not a legal move. The moves before it can be opened.",
    "3… Qd8 is not a legal move. The moves before it can be opened.",
  ]);
  const many = read(`1. e4 ${"( 1. e5 ) ".repeat(9)} e5`);
  expect(many.problems.at(-1)).toBe("6 more moves are illegal.");
  expect(read("1. e4 -- 2. d4").problems[0]).toContain("is a null move");
});

test("games begin from a FEN, also of Chess960", () => {
  const tree = treeOf(`[Variant "Chess960"]
[SetUp "1"]
[FEN "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w FDfd - 0 1"]

1. Nf3 Nf6 2. Nd3 Nd6 3. O-O O-O-O *`);
  expect(main(tree)).toBe("Nf3 Nf6 Nd3 Nd6 O-O O-O-O");
  expect(mainLine(tree).at(-2)?.uci).toBe("e1f1");
  expect(tree.headers.get("FEN")).toBe(
    "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w FDfd - 0 1",
  );
  const late = treeOf('[FEN "8/8/8/8/8/4k3/4p3/4K3 b - - 0 60"]\n\n60... Kd3 *');
  expect(mainLine(late).at(-1)).toMatchObject({ san: "Kd3", ply: 120 });
});

test("a game without a legal start is refused with the reason", () => {
  expect(read('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n*')).toEqual({
    tree: null,
    problems: ["The tag FEN is wrong: The board is empty; it needs one king of each side."],
  });
  expect(read('[Variant "Atomic"]\n\n1. e4 *').problems[0]).toContain("“Atomic” is not supported");
});

test("written PGN has the tags that its start position needs", () => {
  const fen = "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w KQkq - 0 1";
  expect(writePgn(newTree(fen))).toBe(
    `[SetUp "1"]\n[FEN "${fen}"]\n[Variant "Chess960"]\n\n*\n`,
  );
  expect(writePgn(newTree())).toBe("*\n");
});

test("moves of programs are read, too: UCI, zeros for castling, long algebraic notation", () => {
  expect(main(treeOf("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 0-0 Ng8-f6"))).toBe(
    "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6",
  );
});

test("huge and deeply nested games are refused with the limit", () => {
  const deep = `1. e4 ${"( 1. d4 ( 1. e4 ".repeat(2_000)}`;
  expect(read(deep)).toEqual({
    tree: null, problems: ["Variations are nested more than 100 deep."],
  });
  const long = read(`1. ${"Nf3 Nf6 Ng1 Ng8 ".repeat(6_000)}`);
  expect(long).toEqual({
    tree: null, problems: ["The game is too long; about 15,000 moves and 2 MB are allowed."],
  });
});

test("the same variation twice becomes one with both comments", () => {
  const tree = treeOf("1. e4 (1. d4 {a} d5) (1. d4 {b} Nf6) *");
  const [, other] = nodeOf(tree, ROOT).children;
  expect(nodeOf(tree, other!)).toMatchObject({ san: "d4", comments: ["a", "b"] });
  expect(nodeOf(tree, other!).children).toHaveLength(2);
});
