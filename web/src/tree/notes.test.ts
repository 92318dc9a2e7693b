import { expect, test } from "vitest";
import { moveText, spokenMove } from "./notation";
import { clockOf, evaluationOf, glyphOf, textOf, toggleGlyph, withText } from "./notes";
import { newTree, nodeOf, playLine, ROOT } from "./tree";

test("the text of comments is without commands", () => {
  expect(textOf(["[%clk 0:03:00] Good [%eval 0.3]", "[%csl Ge4]", "Next"])).toBe("Good\n\nNext");
  expect(textOf(["a [%clk 0:03:00] b"])).toBe("a b");
  expect(textOf(["[%clk 0:03:00] [%eval 0.3][%csl Ge4] a"])).toBe("a");
});

test("another text keeps the commands and is one that PGN can hold", () => {
  const comments = ["[%clk 0:03:00] Good", "[%csl Ge4] Second"];
  expect(withText(comments, "Bad")).toEqual(["Bad [%clk 0:03:00] [%csl Ge4]"]);
  expect(withText(comments, "")).toEqual(["[%clk 0:03:00] [%csl Ge4]"]);
  expect(withText([], " a } b\r\n")).toEqual(["a ) b"]);
  expect(withText(["Good"], "")).toEqual([]);
  expect(withText([], "a\n\n [Event x] b\n\nc")).toEqual(["a\n [Event x] b\n\nc"]);
});

test("clock and evaluation are read from commands", () => {
  expect(clockOf(["[%clk 0:03:05]"])).toBe("3:05");
  expect(clockOf(["x", "[%clk 1:30:00]"])).toBe("1:30:00");
  expect(clockOf(["no clock"])).toBeNull();
  expect(["0.3", "-1.25,20", "#3", "#-2", "0"].map((text) => evaluationOf([`[%eval ${text}]`])))
    .toEqual(["+0.30", "−1.25", "#3", "#−2", "0.00"]);
  expect(evaluationOf(["[%eval nonsense]"])).toBeNull();
});

test("a move has one glyph of its own and one of its position", () => {
  expect(toggleGlyph([], 1)).toEqual([1]);
  expect(toggleGlyph([1, 14], 4)).toEqual([4, 14]);
  expect(toggleGlyph([4, 14], 16)).toEqual([4, 16]);
  expect(toggleGlyph([4, 16], 4)).toEqual([16]);
  expect(toggleGlyph([36], 40)).toEqual([36, 40]);
  expect([1, 4, 12, 200].map((nag) => glyphOf(nag).symbol)).toEqual(["!", "??", "=", "$200"]);
});

test("moves are said in words", () => {
  const node = nodeOf(newTree(), ROOT);
  const spoken = (san: string) => spokenMove({ ...node, ply: 1, san });
  expect(["e4", "Nf3", "Nbxd7+", "exd8=Q#", "O-O", "O-O-O+"].map(spoken)).toEqual([
    "e4", "knight f3", "knight b takes d7, check", "e takes d8 promotes to queen, checkmate",
    "castles short", "castles long, check",
  ].map((move) => `1, White, ${move}`));
  const { tree, id } = playLine(newTree(), ROOT, ["e2e4", "g8f6"]);
  expect(spokenMove(nodeOf(tree, id))).toBe("1, Black, knight f6");
  expect(spokenMove(nodeOf(tree, ROOT))).toBe("Start position");
  expect(moveText(nodeOf(tree, id))).toBe("1… Nf6");
});

test("comments of a megabyte without an end of a command are read in one pass", () => {
  const blanks = `a${" ".repeat(1_000_000)}b`;
  const commands = "[%clk ".repeat(170_000);
  const start = performance.now();
  expect(textOf([blanks])).toBe(blanks);
  expect(textOf([commands])).toBe(commands.trim());
  expect(withText([commands], blanks)).toEqual([blanks]);
  expect([clockOf([commands]), clockOf([`[%clk${" ".repeat(1_000_000)}`])]).toEqual([null, null]);
  expect(withText([], "\n".repeat(1_000_000) + "a")).toEqual(["a"]);
  expect(performance.now() - start).toBeLessThan(1_000);
});
