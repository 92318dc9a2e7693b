import { expect, test } from "vitest";
import { bestMoveArrow, lineArrows, threatArrow } from "./arrows";
import type { Info, Line } from "./protocol";

const line = (rank: number, uci: string, value: number): Line => ({
  rank, score: { type: "cp", value }, wdl: [300, 400, 300], depth: 9, pv: [uci, "e7e5"],
  pv_san: ["x", "e5"],
});
const info: Info = {
  type: "info", id: 1, source: "search", depth: 9, seldepth: 12, nodes: 1, nps: 1,
  lines: [line(1, "e2e4", 34), line(2, "d2d4", -20)],
};

test("the arrows of lines are thinner by rank, have scores, and the best lies on top", () => {
  const { shapes } = lineArrows(info)!;
  expect(shapes.map(({ orig, dest }) => `${orig}${dest}`)).toEqual(["d2d4", "e2e4"]);
  const [second, best] = shapes;
  expect(best!.modifiers!.lineWidth).toBeGreaterThan(second!.modifiers!.lineWidth!);
  expect(best!.customSvg!.html).toContain("+0.34");
  expect(second!.customSvg!.html).toContain("−0.20");
});

test("best move and threat are one arrow each, and nothing is drawn without an evaluation", () => {
  expect(bestMoveArrow(info)?.shapes).toHaveLength(1);
  expect(threatArrow(info)?.shapes).toMatchObject([{ orig: "e2", dest: "e4", brush: "red" }]);
  for (const draw of [bestMoveArrow, lineArrows, threatArrow]) expect(draw(undefined)).toBeNull();
});
