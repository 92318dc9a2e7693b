/** The state of the engine that views show. */
import type { AnalysedPosition } from "./analysed-position";
import type { ConnectionState } from "./connection";
import type { ShownRefusal } from "./failure";
import { readPreferences, type LimitName } from "./preferences";
import type { Limits } from "./protocol";
import type { Restriction } from "./restriction";

/** What the running search has done so far. */
export interface Progress {
  readonly depth: number;
  readonly nodes: number;
  readonly nps: number;
}

export interface Threat {
  /** The position after the null move. */
  readonly fen: string;
  readonly isDone: boolean;
}

export interface EngineState {
  /** The position on the board, or `null` if it is not to be analysed. */
  position: AnalysedPosition | null;
  /** The server refused the moves before the position, so it is sent alone. */
  isWithoutMoves: boolean;
  /** The tab has been hidden for long. */
  isAway: boolean;
  connection: ConnectionState;
  /** Whether the user wants an analysis. */
  isEnabled: boolean;
  /** Whether the user hides all that the engine says. It does not search then. */
  isHidden: boolean;
  isSearching: boolean;
  /** The place in the server's queue, if the search waits. */
  queued: number | null;
  progress: Progress | null;
  /** Why the search of the shown position ended, if it did. */
  ended: string | null;
  /** Whether the analysis of the shown position goes on beyond its limit. */
  isDeeper: boolean;
  /** The server's reason for a draw that the rules of the page do not know. */
  drawReason: string | null;
  /** The last refusal of the server. */
  refusal: ShownRefusal | null;
  multipv: number;
  limit: LimitName;
  restriction: Restriction | null;
  threat: Threat | null;
  /** Another position that is searched for a moment, before the shown one. */
  aside: AnalysedPosition | null;
  /** The server's limits, once they are known. */
  limits: Limits | null;
}

export const initialState = (): EngineState => ({
  position: null, isWithoutMoves: false, isAway: false, connection: "connecting",
  isEnabled: true, isHidden: false, isSearching: false, queued: null, progress: null, ended: null,
  isDeeper: false, drawReason: null, refusal: null, ...readPreferences(), restriction: null,
  threat: null, aside: null, limits: null,
});
