import { expect, test } from "vitest";
import type { Info, Score } from "./protocol";
import { spokenEvaluation } from "./spoken";

const info = (score: Score): Info => ({
  type: "info", id: 1, source: "memory", depth: 18, seldepth: 24, nodes: 1, nps: 1,
  lines: [{ rank: 1, score, wdl: [300, 400, 300], depth: 18, pv: ["g1f3"], pv_san: ["Nf3"] }],
});

test("an evaluation is spoken with the side that is better, and the best move", () => {
  const texts = [
    ["cp", 34, "White is better by 0.34"], ["cp", -120, "Black is better by 1.20"],
    ["cp", 0, "Equal"], ["mate", 3, "White mates in 3"], ["mate", -2, "Black mates in 2"],
  ] as const;
  for (const [type, value, text] of texts) {
    expect(spokenEvaluation(info({ type, value }), true))
      .toBe(`${text}, depth 18. Best move Nf3.`);
  }
});
