/** The search that the state of the engine asks for. */
import { positionOf } from "../tree/tree";
import type { AnalysedPosition } from "./analysed-position";
import type { EngineState } from "./engine-state";
import { searchLimit } from "./preferences";
import type { SearchRequest } from "./protocol";
import { searchMoves, type Restriction } from "./restriction";

/** What a search is about. Its evaluations are kept under this. */
export interface SearchSubject {
  /** The FEN of the position. */
  readonly key: string;
  readonly multipv: number;
  readonly restriction: Restriction | null;
  readonly isThreat: boolean;
}

export interface WantedSearch {
  readonly subject: SearchSubject;
  readonly request: SearchRequest;
}

const THREAT_TIME_MS = 1_000;

function threatSearch(fen: string): WantedSearch {
  return {
    subject: { key: fen, multipv: 1, restriction: null, isThreat: true },
    request: {
      fen, moves: [], multipv: 1, searchmoves: null, limit: { movetime_ms: THREAT_TIME_MS },
    },
  };
}

/** The search that should run now. The threat goes before the analysis of the position. */
export function wantedSearch(
  state: EngineState, position: AnalysedPosition, multipv: number,
): WantedSearch | null {
  const { threat, restriction } = state;
  if (threat && !threat.isDone) return threatSearch(threat.fen);
  if (!state.isEnabled || state.isHidden || state.ended !== null) return null;
  const { key, fen, moves } = position;
  return {
    subject: { key, multipv, restriction, isThreat: false },
    request: {
      fen, moves, multipv,
      limit: state.isDeeper ? { infinite: true } : searchLimit(state.limit),
      searchmoves: restriction && searchMoves(positionOf(key), restriction),
    },
  };
}
