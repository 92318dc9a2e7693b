/** The practice on the page: its mistake on the board, and tries that the server judges. */
import type { Chess } from "chessops/chess";
import { makeFen } from "chessops/fen";
import type { Color } from "chessops/types";
import { createMemo, createSignal, untrack } from "solid-js";
import { Refusal, Unreachable, type Client } from "../engine/client";
import { viewOf, type Score } from "../engine/protocol";
import { legalMove, positionOf } from "../tree/tree";
import type { Game } from "./game";
import type { Judge } from "./judge";
import { lineText, normalUci, sansOf } from "./line";
import { isOf } from "./navigation";
import * as steps from "./practice";
import type { Practice } from "./practice";
import { mistakesOf, type Mistake, type ReviewData } from "./review-data";
import { bestText, whyBad, type Move } from "./sentence";

/** A position that is not in the tree, shown on the board in place of the tree's. */
interface Scratch {
  readonly fen: string;
  readonly position: Chess;
  readonly lastMove: string | null;
}

interface Answer {
  readonly score: Score;
  readonly pv: readonly string[];
}

interface PracticeParts {
  readonly client: Client;
  readonly judge: Judge;
  readonly game: () => Game | null;
  readonly data: () => ReviewData | null;
  /** The position before a half move of the game. */
  readonly fenBefore: (ply: number) => string | null;
  /** Shows the position before a half move in the tree. */
  readonly show: (ply: number) => void;
  /** Whether the tree shows the position before this half move, and the panel is open. */
  readonly isAt: (ply: number) => boolean;
  readonly orient: (color: Color) => void;
}

/** The search that judges a try looks as deep as the server's reviews do. */
const TRY_NODES = 300_000;

const errorText = (error: unknown): string =>
  error instanceof Refusal || error instanceof Unreachable
    ? `Not judged: ${error.message} Try it again.`
    : "Not judged. Try it again.";

export function createPractice(parts: PracticeParts) {
  const [practice, setPractice] = createSignal<Practice | null>(null);
  const [color, setColor] = createSignal<Color>("white");
  /** Sets the position anew when a move was refused, since the board has drawn it already. */
  const [refused, setRefused] = createSignal(0);
  let search: AbortController | undefined;

  const mistake = createMemo(() => {
    const running = practice();
    return running && steps.currentMistake(running);
  });
  const change = (step: (practice: Practice) => Practice) =>
    setPractice((running) => running && step(running));

  const scratch = createMemo((): Scratch | null => {
    refused();
    const running = practice();
    const asked = mistake();
    if (!running || !asked || !parts.isAt(asked.ply)) return null;
    const fen = parts.fenBefore(asked.ply);
    if (fen === null) return null;
    const position = positionOf(fen);
    const move = running.move === null ? null : legalMove(position, running.move);
    if (!move) return { fen, position, lastMove: null };
    position.play(move);
    return { fen: makeFen(position.toSetup()), position, lastMove: running.move };
  });

  /** Evaluates a tried move and writes down what the sentence about it needs. */
  async function look(
    asked: Mistake, fen: string, uci: string, signal: AbortSignal,
  ): Promise<Move> {
    const position = positionOf(fen);
    const mover = position.turn;
    const [san = uci] = sansOf(fen, [uci]);
    const move = legalMove(position, uci);
    if (move) position.play(move);
    const game = parts.game();
    const answer = await parts.client.request<Answer>("/v1/best-move", {
      json: {
        fen: game?.fen ?? fen, moves: [...(game?.moves.slice(0, asked.ply - 1) ?? []), uci],
        nodes: TRY_NODES,
      },
      signal,
    });
    const { type, value } = answer.score;
    // The score of the side to move. Whoever mated it has won, which a mate in 0 does not say.
    const after: Score = { type, value: type === "mate" && value === 0 ? 1 : -value || 0 };
    return {
      san, fenBefore: fen, bestSan: asked.best_san, bestLine: asked.line,
      fenAfter: makeFen(position.toSetup()), answer: answer.pv, before: viewOf(asked.before, mover),
      after,
    };
  }

  async function judgeTry(asked: Mistake, fen: string, uci: string) {
    const own = (search = new AbortController());
    try {
      const move = await look(asked, fen, uci, own.signal);
      const result = await parts.judge({ before: move.before, after: move.after, best: false });
      if (own.signal.aborted) return;
      const isGood = result.judgement === null;
      const text = isGood
        ? `Good: ${move.san} ${result.win_chance_loss < 1 ? "loses nothing" :
            `loses only ${Math.round(result.win_chance_loss)}% win chance`}. ${bestText(move)}`
        : `${whyBad(move, result)}. There is a better move.`;
      change((running) => steps.judged(running, isGood, text));
    } catch (error) {
      if (!own.signal.aborted) change((running) => steps.notJudged(running, errorText(error)));
    }
  }

  function solutionText(asked: Mistake): string {
    const fen = parts.fenBefore(asked.ply);
    const line = fen === null ? "" : lineText(fen, asked.line, 6);
    return `The best move is ${asked.best_san}: ${line}.`;
  }

  /** Shows the mistake that is asked for now. */
  function showMistake() {
    const asked = untrack(mistake);
    if (asked) parts.show(asked.ply);
  }

  return {
    practice,
    color,
    mistake,
    scratch,
    /** Whether the engine and other help must be hidden. */
    isHidden: () => scratch() !== null && practice()?.phase !== "found"
      && practice()?.phase !== "shown",
    start(player: Color) {
      const data = parts.data();
      if (!data) return;
      setColor(player);
      const own = mistakesOf(data).filter((each) => each.best && isOf(each, { color: player }));
      setPractice(steps.startPractice(own));
      parts.orient(player);
      showMistake();
    },
    stop() {
      search?.abort();
      setPractice(null);
    },
    /** Takes a move that was made on the scratch board. */
    play(uci: string) {
      const running = untrack(practice);
      const asked = untrack(mistake);
      const fen = asked && parts.fenBefore(asked.ply);
      if (!running || !asked || !fen || running.phase !== "find") {
        setRefused((count) => count + 1);
        return;
      }
      const move = normalUci(fen, uci);
      if (move === null) return;
      change((before) => steps.tryMove(before, move));
      if (move === normalUci(fen, asked.best ?? "")) {
        const [san] = sansOf(fen, [move]);
        change((before) => steps.judged(before, true, `${san} is the best move.`));
      } else if (move === normalUci(fen, asked.uci)) {
        const text = `${asked.san} was played in the game. There is a better move.`;
        change((before) => steps.judged(before, false, text));
      } else void judgeTry(asked, fen, move);
    },
    showSolution() {
      const asked = untrack(mistake);
      if (asked) change((running) => steps.showSolution(running, solutionText(asked)));
    },
    next() {
      search?.abort();
      change(steps.next);
      showMistake();
    },
    /** Goes back to the mistake after the user went elsewhere in the tree. */
    resume: showMistake,
  };
}

export type PracticeStore = ReturnType<typeof createPractice>;
