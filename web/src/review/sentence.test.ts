import { INITIAL_FEN } from "chessops/fen";
import { expect, test } from "vitest";
import { newTree, nodeOf, playLine, ROOT } from "../tree/tree";
import { sentenceOf, type Move } from "./sentence";

const fenAfter = (moves: string) => {
  const { tree, id } = playLine(newTree(), ROOT, moves.split(" "));
  return nodeOf(tree, id).fen;
};
const cp = (value: number) => ({ type: "cp" as const, value });
const mate = (value: number) => ({ type: "mate" as const, value });

const knight: Move = {
  san: "Nf6", fenBefore: fenAfter("e2e4"), bestSan: "d5", bestLine: ["d7d5", "e4d5", "d8d5"],
  fenAfter: fenAfter("e2e4 g8f6"), answer: ["e4e5", "f6d5"], before: cp(0), after: cp(-150),
};

test("a bad move is named with its cost, the line that refutes it, and the best line", () => {
  expect(sentenceOf(knight, { win_chance_loss: 13.6, judgement: "mistake" }, false)).toBe(
    "Mistake: Nf6 loses 14% winning chance (2. e5 Nd5). Best was 1… d5 2. exd5 Qxd5.",
  );
});

test("a mate that is allowed or missed is named in place of the loss", () => {
  const allowed = { ...knight, before: cp(-80), after: mate(-1), answer: [] };
  expect(sentenceOf(allowed, { win_chance_loss: 40, judgement: "blunder" }, false))
    .toMatch(/^Blunder: Nf6 allows mate in 1\. Best was 1… d5/);
  const missed = { ...knight, before: mate(3), after: cp(900) };
  expect(sentenceOf(missed, { win_chance_loss: 1, judgement: "mistake" }, false))
    .toMatch(/^Mistake: Nf6 misses mate in 3 \(/);
});

test("good moves are named, too", () => {
  const none = { win_chance_loss: 0, judgement: null };
  expect(sentenceOf(knight, none, true)).toBe("Nf6 is the best move.");
  expect(sentenceOf(knight, none, false)).toBe("Good: Nf6 is as good as d5.");
  expect(sentenceOf(knight, { win_chance_loss: 3.4, judgement: null }, false))
    .toMatch(/^Good: Nf6 loses only 3% winning chance\. Best was 1… d5/);
  const only = { ...knight, fenBefore: INITIAL_FEN, bestSan: null, bestLine: [] };
  expect(sentenceOf(only, none, false)).toBe("Good: Nf6 is as good as any other move.");
});
