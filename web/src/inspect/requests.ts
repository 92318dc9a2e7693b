/** The requests of the panel: the shown position, its last move and its legal moves. */
import type { Client } from "../engine/client";
import { Refusal } from "../engine/errors";
import { createLatest } from "../engine/latest";
import type { Query } from "../engine/requests";
import type { Engine } from "../engine/store";
import type { TreeStore } from "../tree/store";
import { playedLine, type PlayedLine } from "../tree/tree";
import type { Hex, LegalMove, PlayAnswer, Ply, PositionAnswer, ZobristNumber } from "./server";

/** The shown position: its forms, and whether the server knows the moves before it. */
export interface Inspected extends PositionAnswer {
  /** The shown FEN of the tree. */
  readonly shown: string;
  /** False if the server refused the moves, so that it takes each piece as not moved. */
  readonly hasHistory: boolean;
}

/** A key with the numbers whose exclusive or it is. */
export interface KeyNumbers {
  readonly key: Hex;
  readonly numbers: readonly ZobristNumber[];
}

const keyOf = ({ fen, moves }: PlayedLine) => `${fen} ${moves.join(" ")}`;

/**
 * Asks with the moves from the start of the game. A game that was played on after its end is
 * refused; then the position alone must do.
 */
async function withOrWithoutMoves<Answer>(
  game: PlayedLine,
  fen: string,
  ask: (game: PlayedLine) => Promise<Answer>,
): Promise<{ answer: Answer; hasHistory: boolean }> {
  try {
    return { answer: await ask(game), hasHistory: true };
  } catch (error) {
    const isRefused = error instanceof Refusal && error.problem.status === 422;
    if (!isRefused || game.moves.length === 0) throw error;
    return { answer: await ask({ fen, moves: [] }), hasHistory: false };
  }
}

/** What the open form shows besides the position. */
export type Need = "lastMove" | "keyBefore" | "legalMoves";

interface Options {
  tree: TreeStore;
  engine: Engine;
  client: Client;
  /** Whether the open form shows this: nothing else is asked for. */
  needs(need: Need): boolean;
}

/** The number of kept answers for each question: a user steps back and forth. */
const MAX_KEPT = 48;

export function createPositionRequests({ tree, engine, client, needs }: Options) {
  const options = { engine, client, maxKept: MAX_KEPT };
  const post = <Answer>(path: string, json: unknown, signal: AbortSignal) =>
    client.request<Answer>(path, { json, signal, priority: "background" });

  const position = createLatest((): Query<Inspected> => {
    const game = playedLine(tree.path());
    const { fen } = tree.current();
    return {
      key: keyOf(game),
      async load(signal) {
        const { answer, hasHistory } = await withOrWithoutMoves(game, fen, (asked) =>
          post<PositionAnswer>("/v1/position", asked, signal));
        return { ...answer, shown: fen, hasHistory };
      },
    };
  }, options);

  /** The position before the last move, and that move. */
  const step = () => {
    const { parent, uci } = tree.current();
    return parent === null || uci === null ? null : { fen: tree.node(parent).fen, uci };
  };

  const lastMove = createLatest((): Query<Ply> | null => {
    const played = step();
    if (!played || !needs("lastMove")) return null;
    const { fen, uci } = played;
    return {
      key: `${fen} ${uci}`,
      async load(signal) {
        // From the position before it: the moves of a long game would only be repeated.
        const { plies } = await post<PlayAnswer>("/v1/play", { fen, moves: [uci] }, signal);
        const [ply] = plies;
        if (!ply) throw new Error("The server did not play the move.");
        return ply;
      },
    };
  }, options);

  const keyBefore = createLatest((): Query<KeyNumbers> | null => {
    const played = step();
    if (!played || !needs("keyBefore") || !position.answer()?.views.zobrist) return null;
    const { fen } = played;
    return {
      key: fen,
      async load(signal) {
        const asked = { fen, views: ["zobrist"] };
        const { key, views } = await post<PositionAnswer>("/v1/position", asked, signal);
        return { key, numbers: views.zobrist ?? [] };
      },
    };
  }, options);

  const legalMoves = createLatest((): Query<readonly LegalMove[]> | null => {
    if (!needs("legalMoves")) return null;
    const { fen } = tree.current();
    return {
      key: fen,
      load: async (signal) =>
        (await post<{ moves: LegalMove[] }>("/v1/legal-moves", { fen }, signal)).moves,
    };
  }, options);

  return { position, lastMove, keyBefore, legalMoves };
}

export type Requests = ReturnType<typeof createPositionRequests>;
