/** The search that the state of the engine asks for. */
import type { AnalysedPosition } from "./analysed-position";
import type { EngineState } from "./engine-state";
import { searchLimit } from "./preferences";
import type { SearchRequest } from "./protocol";
import type { Restriction } from "./restriction";

/** What a search is about. Its evaluations are kept under this. */
export interface SearchSubject {
  /** The FEN of the position. */
  readonly key: string;
  readonly multipv: number;
  readonly restriction: Restriction | null;
  /** `aside`: of another position than the shown one, for a moment. */
  readonly purpose: "shown" | "threat" | "aside";
}

export interface WantedSearch {
  readonly subject: SearchSubject;
  readonly request: SearchRequest;
}

/** The time of a search of another position than the shown one. */
const ASIDE_MS = 1_000;

function searchAside(
  purpose: "threat" | "aside", { key, fen, moves }: AnalysedPosition,
): WantedSearch {
  return {
    subject: { key, multipv: 1, restriction: null, purpose },
    request: { fen, moves, multipv: 1, searchmoves: null, limit: { movetime_ms: ASIDE_MS } },
  };
}

/** The number of lines that a search has: as the user chose, up to the server's limit. */
export const lineCount = ({ multipv, limits }: EngineState): number =>
  Math.min(multipv, limits?.multipv.max ?? multipv);

/** The search that should run now. The threat goes before all else. */
export function wantedSearch(state: EngineState): WantedSearch | null {
  const { position, threat, restriction, aside } = state;
  if (!position || state.isAway) return null;
  if (threat && !threat.isDone) {
    return searchAside("threat", { key: threat.fen, fen: threat.fen, moves: [] });
  }
  if (!state.isEnabled || state.isHidden) return null;
  if (aside) return searchAside("aside", aside);
  if (state.ended !== null) return null;
  const { key } = position;
  const { fen, moves } = state.isWithoutMoves ? { fen: key, moves: [] } : position;
  const multipv = lineCount(state);
  return {
    subject: { key, multipv, restriction, purpose: "shown" },
    request: {
      fen, moves, multipv,
      limit: state.isDeeper ? { infinite: true } : searchLimit(state.limit),
      searchmoves: restriction && restriction.searchmoves,
    },
  };
}
