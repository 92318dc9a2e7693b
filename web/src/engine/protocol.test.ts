import { expect, test } from "vitest";
import { scoreText } from "./protocol";

test("a score has a sign, and a mate a hash", () => {
  const texts = [
    ["cp", 48, "+0.48"], ["cp", -120, "−1.20"], ["cp", 0, "0.00"],
    ["mate", 3, "#3"], ["mate", -2, "#−2"],
  ] as const;
  for (const [type, value, text] of texts) expect(scoreText({ type, value })).toBe(text);
});
