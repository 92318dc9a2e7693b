/** The judgement of the move that is shown, as its evaluations arrive. */
import { createMemo } from "solid-js";
import type { Client } from "../engine/client";
import { viewOf, type Info, type Score } from "../engine/protocol";
import { createRequests } from "../engine/requests";
import type { Engine } from "../engine/store";
import type { TreeStore } from "../tree/store";
import { positionOf, type TreeNode } from "../tree/tree";
import type { Judge, Judged, Scores } from "./judge";
import { normalUci, sansOf } from "./line";
import { moverBefore } from "./mover";
import { sentenceOf, type Move } from "./sentence";

/** A judgement that is shown. */
export interface Judgement extends Judged {
  readonly text: string;
}

/** Below this depth nothing is said, and below the second one a judgement is called preliminary. */
const MIN_DEPTH = 4;
const SURE_DEPTH = 10;

/** An evaluation of White's view. */
interface Evaluation {
  readonly score: Score;
  readonly pv: readonly string[];
  readonly depth: number;
}

const ofInfo = (info: Info | undefined): Evaluation | null => {
  const best = info?.lines[0];
  return info && best ? { score: best.score, pv: best.pv, depth: info.depth } : null;
};

/** The evaluation of a position in which the game is over. */
function ofEnd({ fen }: TreeNode): Evaluation | null {
  const position = positionOf(fen);
  if (!position.isEnd()) return null;
  const value = position.turn === "white" ? -1 : 1;
  const score: Score = position.isCheckmate() ? { type: "mate", value } : { type: "cp", value: 0 };
  return { score, pv: [], depth: Infinity };
}

/** What is known of the shown move. */
interface Pair {
  readonly node: TreeNode;
  readonly move: Move;
  readonly isBest: boolean;
  readonly depth: number;
}

const scoresOf = ({ move: { before, after }, isBest }: Pair): Scores =>
  ({ before, after, best: isBest });

const keyOf = (scores: Scores) => JSON.stringify(scores);

/** The server's judgement of a pair. */
interface Known {
  readonly pair: Pair;
  readonly result: Judged;
}

/** What a judgement depends on. Longer lines and deeper searches alone change nothing. */
const essenceOf = ({ node, isBest, depth, move: { before, after, bestSan, answer } }: Pair) =>
  JSON.stringify([
    node.id, isBest, depth < MIN_DEPTH, depth < SURE_DEPTH, before, after, bestSan, answer[0],
  ]);

const isSamePair = (a: Pair | null, b: Pair | null) =>
  a === b || (a !== null && b !== null && essenceOf(a) === essenceOf(b));

function pairOf(
  node: TreeNode, parent: TreeNode, before: Evaluation, after: Evaluation,
): Pair | null {
  if (node.san === null) return null;
  const mover = moverBefore(node.fen);
  const [best] = before.pv;
  const [bestSan = null] = sansOf(parent.fen, before.pv, 1);
  const isBest = best !== undefined && normalUci(parent.fen, best) === node.uci;
  const move: Move = {
    san: node.san, fenBefore: parent.fen, bestSan, bestLine: before.pv, fenAfter: node.fen,
    answer: after.pv, before: viewOf(before.score, mover), after: viewOf(after.score, mover),
  };
  return { node, move, isBest, depth: Math.min(before.depth, after.depth) };
}

interface Parts {
  readonly tree: TreeStore;
  readonly engine: Engine;
  readonly client: Client;
}

export function createLiveJudgement({ tree, engine, client }: Parts, judge: Judge) {
  const pair = createMemo((): Pair | null => {
    const node = tree.current();
    if (node.parent === null) return null;
    const parent = tree.node(node.parent);
    const before = ofInfo(engine.evaluation(parent.fen));
    const after = ofEnd(node) ?? ofInfo(engine.evaluation(node.fen));
    return before && after ? pairOf(node, parent, before, after) : null;
  }, null, { equals: isSamePair });

  /** The pair, if it is worth a judgement and the user wants to hear of the engine. */
  const asked = () => {
    const current = engine.state.isHidden ? null : pair();
    return current && current.depth >= MIN_DEPTH ? current : null;
  };

  // Evaluations change ten times a second; the server is asked when they rest.
  const requests = createRequests<Judged>(() => {
    const current = asked();
    if (!current) return [];
    const scores = scoresOf(current);
    return [{ key: keyOf(scores), load: (signal) => judge(scores, signal) }];
  }, { engine, client });

  /** The last judgement of the shown move. */
  const judged = createMemo((before: Known | null): Known | null => {
    const current = asked();
    const kept = current && requests.kept(keyOf(scoresOf(current)));
    if (kept) return { pair: current, result: kept.answer };
    return before?.pair.node.id === tree.current().id ? before : null;
  }, null);

  /** The judgement of the shown move, or `null` while too little is known. */
  const judgement = createMemo((): Judgement | null => {
    const known = engine.state.isHidden ? null : judged();
    if (!known) return null;
    const { pair: { move, isBest, depth }, result } = known;
    const sentence = sentenceOf(move, result, isBest);
    const text = depth < SURE_DEPTH ? `So far (depth ${depth}): ${sentence}` : sentence;
    return { ...result, text };
  });
  return {
    judgement,
    /** Why the server does not judge the shown move, as a sentence. */
    problem: () => (asked() ? requests.problem() : null),
  };
}
