import { expect, test } from "vitest";
import { sanText } from "./san";

test("figurines replace the letters of pieces, but not those of castling and files", () => {
  const texts = [
    ["Nbd7+", "♞bd7+"], ["e8=Q#", "e8=♛#"], ["O-O-O", "O-O-O"], ["bxc3", "bxc3"],
  ] as const;
  for (const [san, shown] of texts) {
    expect(sanText(san, "figurines")).toBe(shown);
    expect(sanText(san, "letters")).toBe(san);
  }
});
