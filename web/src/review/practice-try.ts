/** A move that is tried in a practice, and what the server and the review say of it. */
import { makeFen } from "chessops/fen";
import type { Client } from "../engine/client";
import { viewOf, type Score } from "../engine/protocol";
import { legalMove, positionOf } from "../tree/tree";
import type { Game } from "./game";
import type { Judge, Judged } from "./judge";
import { lineText, normalUci, sansOf } from "./line";
import type { Grade } from "./practice";
import type { Mistake } from "./review-data";
import { bestText, whyBad, type Move } from "./sentence";

/** A move in place of a mistake, in UCI as the tree writes it. */
export interface Try {
  readonly mistake: Mistake;
  /** The position before the mistake. */
  readonly fen: string;
  readonly uci: string;
}

export interface Verdict {
  readonly grade: Grade;
  readonly text: string;
}

interface Answer {
  /** From the view of the side to move after the tried move. */
  readonly score: Score;
  readonly pv: readonly string[];
}

/** The search that judges a try looks as deep as the server's reviews do. */
const TRY_NODES = 300_000;

const sanOf = ({ fen, uci }: Try): string => sansOf(fen, [uci])[0] ?? uci;

/** What the review knows of a try without a search. `null` if it knows nothing. */
export function knownVerdict(tried: Try): Verdict | null {
  const { mistake, fen, uci } = tried;
  if (uci === normalUci(fen, mistake.best ?? "")) {
    return { grade: "best", text: `${sanOf(tried)} is the best move.` };
  }
  if (uci === normalUci(fen, mistake.uci)) {
    const text = `${mistake.san} was played in the game. There is a better move.`;
    return { grade: "bad", text };
  }
  return null;
}

/** Searches the position after a try. The moves of the game count for repetitions. */
function search(
  client: Client, { mistake, fen, uci }: Try, game: Game | null, signal: AbortSignal,
): Promise<Answer> {
  const before = game ? game.moves.slice(0, mistake.ply - 1) : [];
  const json = { fen: game?.fen ?? fen, moves: [...before, uci], nodes: TRY_NODES };
  return client.request<Answer>("/v1/best-move", { json, signal });
}

/** What a sentence about a try needs. */
function describe(tried: Try, { score: { type, value }, pv }: Answer): Move {
  const { mistake, fen, uci } = tried;
  const position = positionOf(fen);
  const mover = position.turn;
  const move = legalMove(position, uci);
  if (move) position.play(move);
  // The player who mates has won, which a mate in 0 does not say.
  const own = type === "mate" && value === 0 ? 1 : -value || 0;
  return {
    san: sanOf(tried), fenBefore: fen, bestSan: mistake.best_san, bestLine: mistake.line,
    fenAfter: makeFen(position.toSetup()), answer: pv,
    before: viewOf(mistake.before, mover), after: { type, value: own },
  };
}

function verdictOf(move: Move, judged: Judged): Verdict {
  if (judged.judgement !== null) {
    return { grade: "bad", text: `${whyBad(move, judged)}. There is a better move.` };
  }
  const loss = Math.round(judged.win_chance_loss);
  const cost = judged.win_chance_loss < 1 ? "loses nothing" : `loses only ${loss}% winning chance`;
  return { grade: "good", text: `${move.san} ${cost}. ${bestText(move)}` };
}

/** Lets the server search and judge a try. */
export async function judgeTry(
  client: Client, judge: Judge, tried: Try, game: Game | null, signal: AbortSignal,
): Promise<Verdict> {
  const move = describe(tried, await search(client, tried, game, signal));
  const { before, after } = move;
  return verdictOf(move, await judge({ before, after, best: false }, signal));
}

/** The solution of a mistake as a sentence. */
export function solutionText({ best_san, line }: Mistake, fen: string | null): string {
  const moves = fen === null ? "" : lineText(fen, line, 6);
  return `The best move is ${best_san}${moves === "" ? "" : `: ${moves}`}.`;
}
