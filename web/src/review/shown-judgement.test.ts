import { expect, test } from "vitest";
import { newTree, nodeOf, playLine, ROOT } from "../tree/tree";
import { shownJudgement } from "./shown-judgement";
import { review } from "./testing";

const { tree, id } = playLine(newTree(), ROOT, ["g1f3"]);
const node = nodeOf(tree, id);
const live = { win_chance_loss: 0, judgement: null, text: "Good: Nf3 is as good as e4." };
const known = { node, fenBefore: nodeOf(tree, ROOT).fen, answer: [], live };

test("the review's judgement wins over the live one, and says that it is the review's", () => {
  const move = { ...review(1, 12), fen: node.fen };
  expect(shownJudgement({ ...known, move })).toMatchObject({
    source: "Review", judgement: "mistake",
    text: expect.stringMatching(/^Mistake: Nf3 loses 12% winning chance/) as string,
  });
});

test("a live judgement is named where the move has a glyph of somebody else", () => {
  expect(shownJudgement({ ...known, move: null })).toEqual({ ...live, source: null });
  const withGlyph = { ...node, nags: [6] };
  expect(shownJudgement({ ...known, node: withGlyph, move: null })?.source).toBe("Engine");
  expect(shownJudgement({ ...known, move: null, live: null })).toBeNull();
});
