import { expect, test } from "vitest";
import { nibbleAt, nibbleItems, placementItems } from "./board-items";
import type { Views } from "./server";

const START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const START = {
  nibbles: "59b77d9533333333000000000000000000000000000000002222222248a66c84",
  list: [
    10, 8, 9, 11, 12, 9, 8, 10, ...Array<number>(8).fill(7), ...Array<number>(32).fill(0),
    ...Array<number>(8).fill(1), 4, 2, 3, 5, 6, 3, 2, 4,
  ],
} as unknown as Views;

test("the placement of a FEN covers each square once", () => {
  const other = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
  for (const fen of [START_FEN, other]) {
    const squares = placementItems(fen).flatMap((item) => item.squares);
    expect(squares.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_, s) => s));
  }
  const [rook, , bishop] = placementItems(START_FEN);
  expect([rook?.label, bishop?.label]).toEqual(
    ["r: rook of Black on a8", "b: bishop of Black on c8"]);
  expect(placementItems(START_FEN)[8]).toMatchObject({ text: "/", label: "end of rank 8" });
});

test("each hex digit of the nibbles belongs to its square, the higher one of a byte first", () => {
  const items = nibbleItems(START);
  expect(items.map(({ text }) => text).join("")).toBe(START.nibbles);
  expect(items[0]).toMatchObject({ squares: [1], text: "5" });
  expect(items[0]?.label).toBe("byte 0, high half, b1: 5 = 0101, white knight");
  expect(nibbleAt(START.nibbles, 0)).toBe(9);
  expect(nibbleAt(START.nibbles, 60)).toBe(12);
});
