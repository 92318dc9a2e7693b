/** The client: one method for each operation of the server. */
import { Games } from "./games.js";
import { LiveBoard, type WebSocketConstructor } from "./live.js";
import type { RetryOptions } from "./retry.js";
import { Transport, type CallOptions } from "./transport.js";
import type {
  AnalysisLine, AnalysisRequest, BatchRequest, BatchResponseLine, BestMoveAnswer, BestMoveRequest,
  Engine, EvaluateRequest, Evaluation, ExploredPosition, ExploreRequest, JudgementRequest,
  LegalMoves, LegalMovesRequest, MoveJudgement, PerftCount, PerftRequest, PlayedGame, PlayRequest,
  Position, PositionRequest, Schemas, ServerLimits, TablebaseAnswer, TablebaseRequest,
} from "./types.js";

/** The options of a client. */
export interface KibitzerOptions {
  /** The address of the server, such as `http://localhost:8080`. */
  url: string;
  /** An API key. Do not put one into a page: everybody can read it there. */
  key?: string;
  /** Another `fetch`, such as one behind a proxy. */
  fetch?: typeof fetch;
  /** When to repeat requests that got 429 or 503; `false`: never. */
  retry?: RetryOptions | false;
  /** The longest wait for a single answer, in milliseconds. The default is 120,000. */
  timeoutMs?: number;
  /** The WebSocket of Node.js 20, from a package such as `ws`. Others have their own. */
  WebSocket?: WebSocketConstructor;
}

/** A client of a kibitzer server. It keeps no connection open between calls. */
export class Kibitzer {
  /** Reviews of games. */
  readonly games: Games;
  readonly #transport: Transport;
  readonly #WebSocket: WebSocketConstructor | undefined;

  constructor(options: KibitzerOptions) {
    this.#transport = new Transport(options);
    this.#WebSocket = options.WebSocket;
    this.games = new Games(this.#transport);
  }

  /** The legal moves of a position. */
  legalMoves(request: LegalMovesRequest, options: CallOptions = {}): Promise<LegalMoves> {
    return this.#post("/v1/legal-moves", request, options);
  }

  /** A position in every form: bitboards, packed, hash key and more. */
  position(request: PositionRequest, options: CallOptions = {}): Promise<Position> {
    return this.#post("/v1/position", request, options);
  }

  /** Plays moves, and describes each of them. */
  play(request: PlayRequest, options: CallOptions = {}): Promise<PlayedGame> {
    return this.#post("/v1/play", request, options);
  }

  /** The number of leaf nodes at a depth. */
  perft(request: PerftRequest, options: CallOptions = {}): Promise<PerftCount> {
    return this.#post("/v1/perft", request, options);
  }

  /** The static evaluation of a position, without a search. */
  evaluate(request: EvaluateRequest, options: CallOptions = {}): Promise<Evaluation> {
    return this.#post("/v1/evaluate", request, options);
  }

  /** The best move of a position. */
  bestMove(request: BestMoveRequest, options: CallOptions = {}): Promise<BestMoveAnswer> {
    return this.#post("/v1/best-move", request, options);
  }

  /**
   * The lines of an analysis, up to its `end`. The request is sent when the loop begins. Leaving
   * the loop, or aborting the signal, stops the search.
   */
  analysis(
    request: AnalysisRequest, { signal }: CallOptions = {},
  ): AsyncGenerator<AnalysisLine, void, undefined> {
    return this.#transport.ndjson<Schemas["StreamLine"]>(
      jsonRequest("/v1/analysis", request), { signal, hasHeartbeats: true },
    );
  }

  /** The answers to many requests, as they finish. `index` and `id` name the request. */
  batch(
    requests: Iterable<BatchRequest>, { signal }: CallOptions = {},
  ): AsyncGenerator<BatchResponseLine, void, undefined> {
    const lines = Array.from(requests, (request) => `${JSON.stringify(request)}\n`);
    return this.#transport.ndjson<BatchResponseLine>({
      method: "POST",
      path: "/v1/batch",
      headers: { "content-type": "application/x-ndjson" },
      body: lines.join(""),
    }, { signal, hasHeartbeats: false });
  }

  /** The legal moves with what the evaluation cache knows about them. */
  explore(request: ExploreRequest, options: CallOptions = {}): Promise<ExploredPosition> {
    return this.#transport.json({ method: "GET", path: "/v1/explore", query: request }, options);
  }

  /** The outcome of an endgame, and of each move. */
  tablebase(request: TablebaseRequest, options: CallOptions = {}): Promise<TablebaseAnswer> {
    return this.#post("/v1/tablebase", request, options);
  }

  /** The judgement of a move by the scores before and after it. */
  judgement(request: JudgementRequest, options: CallOptions = {}): Promise<MoveJudgement> {
    return this.#post("/v1/judgement", request, options);
  }

  /** The name, version and evaluation network of the server's engine. */
  engine(options: CallOptions = {}): Promise<Engine> {
    return this.#transport.json({ method: "GET", path: "/v1/engine" }, options);
  }

  /** The limits of the server, and how full it is. */
  limits(options: CallOptions = {}): Promise<ServerLimits> {
    return this.#transport.json({ method: "GET", path: "/v1/limits" }, options);
  }

  /** Opens a live board: a WebSocket for one position at a time. */
  live(options: CallOptions = {}): Promise<LiveBoard> {
    return LiveBoard.open(this.#transport, this.#WebSocket, options);
  }

  #post<Answer>(path: string, request: object, options: CallOptions): Promise<Answer> {
    return this.#transport.json(jsonRequest(path, request), options);
  }
}

function jsonRequest(path: string, request: object) {
  return {
    method: "POST" as const,
    path,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  };
}
