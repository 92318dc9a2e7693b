import { expect, test } from "vitest";
import type { Category, TablebaseAnswer, TablebaseMove } from "./protocol";
import { mayBeInTables } from "./tablebase";
import { distanceText, itemsOf, markText, outcomeText } from "./tablebase-texts";

const ANSWER: TablebaseAnswer = {
  status: "ongoing", winner: null, draw_reason: null, claims: [], turn: "white",
  category: "win", dtz: 13, moves: [],
};

const move = (san: string, members: Partial<TablebaseMove> = {}): TablebaseMove => ({
  uci: "a1a2", san, category: "loss", dtz: -12, zeroing: false, checkmate: false,
  stalemate: false, insufficient_material: false, ...members,
});

test("only positions of few men without castling rights are looked up", () => {
  const fen = "8/8/8/8/8/2k5/1R6/7K w - - 0 1";
  expect(mayBeInTables(fen, { men: 3 })).toBe(true);
  expect(mayBeInTables(fen, { men: 2 })).toBe(false);
  expect(mayBeInTables(fen, null)).toBe(false);
  expect(mayBeInTables(fen, undefined)).toBe(false);
  expect(mayBeInTables("4k3/8/8/8/8/8/8/4K2R w K - 0 1", { men: 7 })).toBe(false);
});

test("an outcome names the winner, and the 50-move rule where it counts", () => {
  const texts: [Category, "white" | "black", string][] = [
    ["win", "white", "White wins"],
    ["win", "black", "Black wins"],
    ["loss", "white", "Black wins"],
    ["draw", "white", "Draw"],
    ["cursed-win", "white", "Win for White, but a draw by the 50-move rule"],
    ["blessed-loss", "white", "Win for Black, but a draw by the 50-move rule"],
    ["syzygy-win", "black", "Win for Black, or a draw by the 50-move rule"],
    ["syzygy-loss", "black", "Win for White, or a draw by the 50-move rule"],
    ["unknown", "white", "Not in the server's tables"],
  ];
  for (const [category, turn, text] of texts) {
    expect(outcomeText({ ...ANSWER, category, turn })).toBe(text);
  }
});

test("the end of the game is the outcome, and has neither distance nor moves", () => {
  const ended: TablebaseAnswer = {
    ...ANSWER, status: "draw", draw_reason: "seventy_five_moves", category: "cursed-win",
    moves: [move("Ra2")],
  };
  expect(outcomeText(ended)).toBe("Draw by the 75-move rule");
  expect(distanceText(ended)).toBe("");
  expect(itemsOf(ended)).toEqual([]);
});

test("a distance is in plies, and a mate is named", () => {
  expect(distanceText(ANSWER)).toBe("zeroing in 13 plies");
  expect(distanceText({ ...ANSWER, dtz: -1 })).toBe("zeroing in 1 ply");
  expect(distanceText({ ...ANSWER, category: "draw", dtz: 0 })).toBe("");
  const moves = [move("Ra8#", { checkmate: true, dtz: -1 })];
  expect(distanceText({ ...ANSWER, moves })).toBe("mate in one move");
});

test("moves keep their order under one heading for each outcome", () => {
  const moves = [
    move("Ra8#", { checkmate: true, dtz: -1 }), move("Ra7"),
    move("Rb1", { category: "unknown", dtz: null }),
    move("Rc1", { category: "blessed-loss", dtz: -110 }),
    move("Kb1", { category: "draw", dtz: 0 }), move("Kb2", { category: "win", dtz: 3 }),
  ];
  const lines = itemsOf({ ...ANSWER, moves }).map((item) =>
    "move" in item
      ? [item.move.san, item.distance, item.mark].filter(Boolean).join(" ")
      : `${item.result}: ${item.heading}`);
  expect(lines).toEqual([
    "win: Win", "Ra8# mate", "Ra7 12",
    "unknown: Not in the server's tables", "Rb1",
    "draw: Win, but a draw by the 50-move rule", "Rc1 110",
    "draw: Draw", "Kb1",
    "loss: Loss", "Kb2 3",
  ]);
});

test("marks say what a move does", () => {
  const marks: [TablebaseMove, string][] = [
    [move("Ra2"), ""],
    [move("Ra2", { stalemate: true }), "stalemate"],
    [move("Kxb2", { zeroing: true, insufficient_material: true }), "capture"],
    [move("a8=Q", { zeroing: true }), "promotion"],
    [move("bxa8=Q+", { zeroing: true }), "capture"],
    [move("a4", { zeroing: true }), "pawn move"],
  ];
  for (const [marked, text] of marks) expect(markText(marked)).toBe(text);
});
