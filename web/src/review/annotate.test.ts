import { parsePgn, type ChildNode, type PgnNodeData } from "chessops/pgn";
import { expect, test } from "vitest";
import { annotate, mainLine, newTree, nodeOf, playLine, ROOT, type Tree } from "../tree/tree";
import { addReview } from "./annotate";
import type { MoveReview } from "./protocol";

const MOVES = ["f2f3", "e7e5", "g2g4", "d8h4"];

/** Members of `GET /v1/games/{id}?pov=white` for this game, and the same job's `/pgn`. */
const REVIEWS = [
  {
    ply: 1, after: { type: "cp", value: -69 }, judgement: "inaccuracy",
    line: ["d2d4", "e7e6", "e2e4", "d7d5", "e4d5", "e6d5"],
  },
  { ply: 2, after: { type: "cp", value: -79 }, judgement: null, line: ["e7e5", "e2e3"] },
  {
    ply: 3, after: { type: "mate", value: -1 }, judgement: "blunder",
    line: ["e2e3", "b8c6", "g1e2", "d7d5", "d2d4", "e5d4", "e3d4"],
  },
  { ply: 4, after: { type: "mate", value: 0 }, judgement: null, line: ["d8h4"] },
] as unknown as MoveReview[];

const PGN = `[Result "*"]

1. f3 $6 { [%eval -0.69] } (1. d4 e6 2. e4 d5 3. exd5 exd5) 1... e5
{ [%eval -0.79] } 2. g4 $4 { [%eval #-1] } (2. e3 Nc6 3. Ne2 d5 4. d4 exd4
5. exd4) 2... Qh4# *`;

const played = playLine(newTree(), ROOT, MOVES).tree;
const idsOf = (tree: Tree) => mainLine(tree).slice(1).map(({ id }) => id);

/** Moves with annotations and variations as plain lists. */
function readPgn(node: ChildNode<PgnNodeData>): unknown {
  const { san, nags = [], comments = [] } = node.data;
  const written = comments.map((comment) => comment.trim());
  return { san, nags, comments: written, next: node.children.map(readPgn) };
}
function readTree(tree: Tree, id: number): unknown {
  const { san, nags, comments, children } = nodeOf(tree, id);
  return { san, nags, comments, next: children.map((child) => readTree(tree, child)) };
}

test("a review in the tree equals the server's PGN in evaluations, glyphs and lines", () => {
  const tree = addReview(played, idsOf(played), REVIEWS);
  const [game] = parsePgn(PGN);
  expect(nodeOf(tree, ROOT).children.map((id) => readTree(tree, id)))
    .toEqual(game!.moves.children.map(readPgn));
});

test("a second time changes nothing, and what others wrote stays", () => {
  const [first = 0] = idsOf(played);
  const written = annotate(played, first, {
    nags: [1, 14], comments: ["[%clk 0:01:00] oh [%eval 9.99]", "[%eval 1.0]"],
  });
  const once = addReview(written, idsOf(written), REVIEWS);
  expect(nodeOf(once, first)).toMatchObject({
    nags: [14, 6], comments: ["[%eval -0.69] [%clk 0:01:00] oh"],
  });
  const twice = addReview(once, idsOf(once), REVIEWS);
  expect(readTree(twice, ROOT)).toEqual(readTree(once, ROOT));
});

test("moves that are not reviewed stay as they are", () => {
  expect(addReview(played, idsOf(played), [null, null])).toBe(played);
});

test("comments of a megabyte without an end of a command are read in one pass", () => {
  const [first = 0] = idsOf(played);
  const [blanks, commands] = [`a${" ".repeat(1_000_000)}b`, "[%eval ".repeat(150_000).trim()];
  const written = annotate(played, first, { comments: [blanks, commands] });
  const start = performance.now();
  const reviewed = addReview(written, [first], REVIEWS.slice(0, 1));
  expect(nodeOf(reviewed, first).comments).toEqual([`[%eval -0.69] ${blanks}`, commands]);
  expect(performance.now() - start).toBeLessThan(1_000);
});
