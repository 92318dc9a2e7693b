/** Short names of the types that the contract defines. `Schemas` has all of them. */
import type { components } from "./schema.js";

/** Every type of openapi.yaml by its name there. */
export type Schemas = components["schemas"];

export type AnalysisRequest = Schemas["AnalysisRequest"];
export type BatchAnalysis = Schemas["BatchAnalysis"];
export type BatchAnswer = Schemas["BatchAnswer"];
export type BatchEnd = Schemas["BatchEnd"];
export type BatchError = Schemas["BatchError"];
export type BatchRequest = Schemas["BatchRequest"];
export type BatchResponseLine = Schemas["BatchResponseLine"];
export type BestMoveAnswer = Schemas["BestMoveAnswer"];
export type BestMoveRequest = Schemas["BestMoveRequest"];
export type Engine = Schemas["Engine"];
export type EvaluateRequest = Schemas["EvaluateRequest"];
export type Evaluation = Schemas["Evaluation"];
export type ExploredPosition = Schemas["ExploredPosition"];
export type ExploreRequest = Schemas["ExploreRequest"];
export type JobReview = Schemas["JobReview"];
export type JudgementRequest = Schemas["JudgementRequest"];
export type LegalMoves = Schemas["LegalMoves"];
export type LegalMovesRequest = Schemas["LegalMovesRequest"];
export type LiveReady = Schemas["LiveReady"];
export type MoveJudgement = Schemas["MoveJudgement"];
export type PerftCount = Schemas["PerftCount"];
export type PerftRequest = Schemas["PerftRequest"];
export type PlayedGame = Schemas["PlayedGame"];
export type PlayRequest = Schemas["PlayRequest"];
export type Position = Schemas["Position"];
export type PositionRequest = Schemas["PositionRequest"];
export type Problem = Schemas["Problem"];
export type Score = Schemas["Score"];
export type ServerLimits = Schemas["ServerLimits"];
export type SubmittedJob = Schemas["SubmittedJob"];
export type TablebaseAnswer = Schemas["TablebaseAnswer"];
export type TablebaseRequest = Schemas["TablebaseRequest"];

/** A line of an analysis. A line of the type `problem` becomes a `KibitzerError`. */
export type AnalysisLine = Exclude<Schemas["StreamLine"], { type: "problem" }>;

/** An event of a review. An event of the type `problem` becomes a `KibitzerError`. */
export type ReviewEvent = Exclude<Schemas["JobLine"], { type: "problem" }>;

/** The limits of a review, for each position. */
export type ReviewLimits = Omit<Schemas["GamesRequest"], "pgn">;

/** The point of view of scores. */
export type PointOfView = NonNullable<AnalysisRequest["pov"]>;

/** A message to a live board, without its id. */
export type LiveRequest =
  | Omit<Schemas["LivePosition"], "id">
  | Omit<Schemas["LiveGo"], "id">
  | Omit<Schemas["LiveStop"], "id">
  | Omit<Schemas["LiveDeeper"], "id">
  | Omit<Schemas["LiveMultiPv"], "id">;
