import { expect, test } from "vitest";
import type { GameState } from "./protocol";
import { ageText, stateText, whiteScoreText } from "./texts";
import { labelShape, labelText } from "./values";

test("the end of a game and a claim are sentences", () => {
  const ongoing: GameState = { status: "ongoing", winner: null, draw_reason: null, claims: [] };
  const texts: [Partial<GameState>, string | null][] = [
    [{}, null],
    [{ status: "checkmate", winner: "black" }, "Checkmate: Black wins."],
    [{ status: "stalemate" }, "Draw by stalemate."],
    [{ status: "draw", draw_reason: "seventy_five_moves" }, "Draw by the 75-move rule."],
    [{ status: "draw", draw_reason: "fivefold_repetition" }, "Draw by fivefold repetition."],
    [{ status: "draw", draw_reason: "dead_position" }, "Draw: neither side can mate."],
    [{ claims: ["threefold_repetition"] },
      "Threefold repetition: the player to move may claim a draw."],
    [{ claims: ["threefold_repetition", "fifty_moves"] }, "Threefold repetition, 50 moves " +
      "without a capture or a pawn move: the player to move may claim a draw."],
  ];
  for (const [state, text] of texts) expect(stateText({ ...ongoing, ...state })).toBe(text);
});

test("an age has one unit", () => {
  const ages: [number, string][] = [
    [4_999, "just now"], [59_000, "59 s ago"], [180_000, "3 min ago"], [7_200_000, "2 h ago"],
    [86_400_000, "1 day ago"], [400 * 86_400_000, "400 days ago"],
  ];
  for (const [ms, text] of ages) expect(ageText(ms)).toBe(text);
});

test("scores are White's, also zero and mate", () => {
  expect(whiteScoreText({ type: "cp", value: 31 }, "black")).toBe("−0.31");
  expect(whiteScoreText({ type: "mate", value: 2 }, "black")).toBe("#−2");
  expect(whiteScoreText({ type: "cp", value: 0 }, "black")).toBe("0.00");
});

test("the value of a piece is drawn in tenths of a pawn, without a negative zero", () => {
  const texts: [number, string][] = [
    [480, "+4.8"], [-1_047, "−10.5"], [4, "0.0"], [-4, "0.0"], [-50, "−0.5"],
  ];
  for (const [value, text] of texts) expect(labelText(value)).toBe(text);
  const shape = labelShape({ square: "a1", color: "white", role: "rook", value: 480 });
  expect(shape.orig).toBe("a1");
  expect(shape.customSvg?.html).toContain(">+4.8</text>");
});
