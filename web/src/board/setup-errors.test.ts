import { makeSquare } from "chessops/util";
import { expect, test } from "vitest";
import { readSetup } from "./setup";
import { errorSummary, faultSquares } from "./setup-errors";

test("one error is told, of more the number and the fields", () => {
  expect(errorSummary([{ field: "board", text: "No king." }])).toBe("No king.");
  expect(errorSummary([
    { field: "board", text: "" }, { field: "board", text: "" }, { field: "side", text: "" },
  ])).toBe("3 errors, see: board, side to move.");
});

test("squares at fault are named ones, all kings of a side with two, and pawns at the ends", () => {
  const faults = (fen: string, errors = "") =>
    faultSquares(readSetup(fen), errors).map(makeSquare).sort();
  expect(faults("4k3/8/8/8/8/8/8/4K1K1 w - - 0 1")).toEqual(["e1", "g1"]);
  expect(faults("P3k3/8/8/8/8/8/8/4K2p w - - 0 1")).toEqual(["a8", "h1"]);
  expect(faults("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "The black king on e8 is in check."))
    .toEqual(["e8"]);
  expect(faults("8/8/8/8/8/8/8/4K3 w - - 0 1", "Black has 0 kings.")).toEqual([]);
});
