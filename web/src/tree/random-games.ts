/** Helpers of tests: games from a seeded generator, and reading without pauses. */
import { makeFen, parseFen } from "chessops/fen";
import { TreeBuilder } from "./builder";
import { legalMoves } from "./legal-moves";
import { readSteps, type ReadGame } from "./pgn-read";
import type { GameText } from "./pgn-scan";
import { newTree, positionOf, ROOT, type NodeId, type Tree } from "./tree";

export interface Random {
  /** A whole number from 0 to below this one. */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
}

/** The xorshift generator: the same numbers for the same seed, on every machine. */
export function seeded(seed: number): Random {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  const below = (limit: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % limit;
  };
  return { below, pick: (items) => items[below(items.length)]! };
}

const COMMENTS = [
  "good", "[%clk 0:03:00]", "[%eval -0.35,20] [%csl Ge4,Rd5] [%cal Ge2e4]", "two\nlines",
  " padded ", "", "brackets (a) [b] $5 ; 1-0 *", "“quotes” and \"these\"", "♞ 将棋 naïve",
  "ends in newline\n",
  "% at the start", "a { brace", "1. e4 e5", "\\ backslash", "[%emt 0:00:01] said he",
];
const VALUES = ["?", "Ann \"The Rook\" Lee", "a\\b", "Zürich", "", "x]y [z", "\\", "2024.01.31"];

const chess960Fen = (random: Random): string => {
  const files: string[] = Array(8).fill("");
  const put = (piece: string, places: readonly number[]) => {
    files[random.pick(places.filter((file) => files[file] === ""))] = piece;
  };
  const all = [...files.keys()];
  put("b", [0, 2, 4, 6]);
  put("b", [1, 3, 5, 7]);
  for (const piece of "qnn") put(piece, all);
  const rest = all.filter((file) => files[file] === "");
  ["r", "k", "r"].forEach((piece, index) => { files[rest[index]!] = piece; });
  const rank = files.join("");
  return `${rank}/pppppppp/8/8/8/8/PPPPPPPP/${rank.toUpperCase()} w KQkq - 0 1`;
};

/** The start of a game: mostly the usual one, else of Chess960 or within a game. */
function start(random: Random): Tree {
  const tags = new Map([["Event", random.pick(VALUES)], ["White", random.pick(VALUES)]]);
  const kind = random.below(4);
  if (kind === 0) {
    const fen = makeFen(parseFen(chess960Fen(random)).unwrap());
    tags.set("Variant", "Chess960").set("SetUp", "1").set("FEN", fen);
    return newTree(fen, tags.set("Result", "1/2-1/2"));
  }
  if (kind === 1) {
    const fen = "r3k2r/1P4p1/8/2pP4/8/8/6p1/R3K2R b KQkq - 3 31";
    return newTree(fen, tags.set("FEN", fen).set("SetUp", "1"));
  }
  return kind === 2 ? newTree() : newTree(undefined, tags.set("Result", random.pick(["1-0", "*"])));
}

function note(random: Random, builder: TreeBuilder, id: NodeId, canBegin: boolean) {
  const some = (limit: number) => Array.from({ length: random.below(limit) });
  if (random.below(4) > 0) return;
  builder.annotate(id, {
    comments: some(3).map(() => random.pick(COMMENTS)),
    nags: some(3).map(() => 1 + random.below(140)),
    startingComments: canBegin ? some(3).map(() => random.pick(COMMENTS)) : [],
  });
}

/** Plays random moves after a node, with variations beside them. */
function grow(random: Random, builder: TreeBuilder, at: NodeId, length: number, depth: number) {
  let id = at;
  for (let count = 0; count < length; count++) {
    const before = builder.node(id);
    const moves = legalMoves(positionOf(before.fen));
    if (moves.length === 0) return;
    const children = [...before.children];
    const next = builder.add(id, positionOf(before.fen), random.pick(moves));
    if (!children.includes(next)) note(random, builder, next, before.children.length > 0);
    for (let more = depth > 0 ? random.below(8) - 6 : 0; more > 0; more--) {
      const known = new Set(builder.node(id).children);
      const other = builder.add(id, positionOf(before.fen), random.pick(moves));
      if (known.has(other)) continue;
      note(random, builder, other, true);
      grow(random, builder, other, random.below(6), depth - 1);
    }
    id = next;
  }
}

/** A game tree that depends on the seed alone. */
export function randomTree(seed: number): Tree {
  const random = seeded(seed);
  const builder = new TreeBuilder(start(random));
  if (random.below(3) === 0) builder.annotate(ROOT, { comments: [random.pick(COMMENTS)] });
  grow(random, builder, ROOT, 4 + random.below(30), 3);
  return builder.tree();
}

/** Reads one game at once. */
export function readGame(text: GameText): ReadGame {
  const steps = readSteps(text);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
