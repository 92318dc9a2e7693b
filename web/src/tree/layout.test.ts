import { expect, test } from "vitest";
import { mainCells, variationLines, wordOf } from "./layout";
import { scanGames } from "./pgn-scan";
import { readGame } from "./random-games";
import { nodeOf, ROOT, type Tree } from "./tree";

const treeOf = (pgn: string): Tree => readGame([...scanGames(pgn)][0]!).tree!;

/** The cells with moves in place of their ids. */
const cells = (pgn: string) => {
  const tree = treeOf(pgn);
  return mainCells(tree).map((cell) => {
    const { san, ply } = nodeOf(tree, Number(cell.slice(1)));
    const kinds = { n: String(Math.ceil(ply / 2)), b: "…", m: san, x: "|" };
    return kinds[cell[0] as keyof typeof kinds];
  }).join(" ");
};

const lines = (pgn: string) => {
  const tree = treeOf(pgn);
  const [, ...firsts] = nodeOf(tree, ROOT).children;
  return [...variationLines(tree, firsts).values()].map(({ depth, words }) =>
    "  ".repeat(depth) + words.map(wordOf).map(({ id, opens, closes, isNumbered }) => {
      const { san, ply } = nodeOf(tree, id);
      const number = isNumbered ? `${Math.ceil(ply / 2)}${ply % 2 === 1 ? "." : "…"}` : "";
      return `${opens ? "(" : ""}${number}${san}${closes ? ")" : ""}`;
    }).join(" "));
};

test("the main line has a row for each move number", () => {
  expect(cells("1. e4 e5 2. Nf3")).toBe("1 e4 e5 2 Nf3");
  expect(cells('[FEN "8/8/8/8/8/4k3/4p3/4K3 b - - 0 60"]\n\n60... Kf3')).toBe("60 … Kf3");
});

test("comments and variations interrupt a row, which goes on after them", () => {
  expect(cells("1. e4 {Good} e5 2. Nf3")).toBe("1 e4 … | 1 … e5 2 Nf3");
  expect(cells("{Before} 1. e4 e5 (1... c5) 2. Nf3")).toBe("| 1 e4 e5 | 2 Nf3");
  expect(cells("1. e4 {[%clk 0:03:00]} e5")).toBe("1 e4 e5");
});

test("a variation is a line, and short ones within it stand in brackets", () => {
  expect(lines("1. e4 (1. d4 d5 (1... Nf6 2. c4) 2. c4 e6) (1. c4)")).toEqual([
    "1.d4 d5 (1…Nf6 2.c4) 2.c4 e6", "1.c4",
  ]);
});

test("lines after a fork with longer variations are one level deeper", () => {
  expect(lines("1. e4 (1. d4 d5 (1... Nf6 {Indian}) 2. c4) *")).toEqual([
    "1.d4", "  1…d5 2.c4", "  1…Nf6",
  ]);
  expect(lines("1. e4 (1. d4 {Solid} d5 2. c4) *")).toEqual(["1.d4 1…d5 2.c4"]);
});

test("any depth of nesting has lines", () => {
  const moves = "a3 a4 b3 b4 c3 c4 d3 d4".split(" ");
  const deep = moves.map((san) => `( 1. ${san} {x}`).join(" ") + ")".repeat(moves.length);
  expect(lines(`1. e4 ${deep}`)).toHaveLength(8);
});
