import { expect, test } from "vitest";
import { threatFen } from "./threat";

test("a null move passes the turn and drops the en passant square", () => {
  expect(threatFen("rnbqkbnr/ppp1pppp/8/8/3pP3/5N2/PPPP1PPP/RNBQKB1R b KQkq e3 3 3")).toEqual({
    fen: "rnbqkbnr/ppp1pppp/8/8/3pP3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 4",
  });
});

test("there is no threat in check, after the end, and without a move of the opponent", () => {
  const reasons = [
    ["4k3/8/8/8/8/8/4R3/4K3 b - - 0 1", /in check/],
    ["7k/5KQ1/8/8/8/8/8/8 b - - 0 1", /over/],
    ["7k/5Q2/8/8/8/8/8/K7 w - - 0 1", /no move/],
  ] as const;
  for (const [fen, reason] of reasons) {
    expect(threatFen(fen)).toEqual({ reason: expect.stringMatching(reason) });
  }
});
