/** Reviews of games: jobs that outlive the connection. */
import { KibitzerNetworkError } from "./errors.js";
import { sleep } from "./retry.js";
import { checkHeader, type CallOptions, type Transport } from "./transport.js";
import type {
  JobReview, PointOfView, ReviewEvent, ReviewLimits, Schemas, SubmittedJob,
} from "./types.js";

export class Games {
  readonly #transport: Transport;

  /** Use `client.games`. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Submits one or more games. A repeated call with the same `idempotencyKey` returns the same job.
   * Without one, the client makes up a key, so that its own repetitions submit the games once.
   */
  async submit(
    pgn: string, limits: ReviewLimits = {}, options: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<SubmittedJob> {
    const { idempotencyKey = randomKey(), signal } = options;
    checkHeader("idempotencyKey", idempotencyKey);
    return this.#transport.json({
      method: "POST",
      path: "/v1/games",
      query: limits,
      headers: { "content-type": "application/x-chess-pgn", "idempotency-key": idempotencyKey },
      body: pgn,
    }, { signal });
  }

  /** The state of a review, and the moves reviewed so far. */
  status(id: string, options: CallOptions & { pov?: PointOfView } = {}): Promise<JobReview> {
    const { pov } = options;
    return this.#transport.json({ method: "GET", path: jobPath(id), query: { pov } }, options);
  }

  /**
   * The events of a review up to its `end`. A connection that breaks is opened again, and the
   * events go on after the last one that came. `lastEventId` goes on after an earlier call.
   */
  async *events(
    id: string,
    options: CallOptions & {
      pov?: PointOfView;
      lastEventId?: string;
      /** Gets the id of each event, to store for a later `lastEventId`. */
      onEventId?: (id: string) => void;
    } = {},
  ): AsyncGenerator<ReviewEvent, void, undefined> {
    const { pov, signal, onEventId } = options;
    let { lastEventId } = options;
    let failed = 0;
    for (;;) {
      const headers: Record<string, string> =
        lastEventId === undefined ? {} : { "last-event-id": lastEventId };
      try {
        yield* this.#transport.events<Schemas["JobLine"]>(
          { method: "GET", path: `${jobPath(id)}/events`, query: { pov }, headers },
          { signal },
          (eventId) => {
            lastEventId = eventId;
            failed = 0;
            onEventId?.(eventId);
          },
        );
        return;
      } catch (error) {
        failed += 1;
        const wait = error instanceof KibitzerNetworkError ?
          this.#transport.retry.waitToReconnect(failed) : null;
        if (wait === null) throw error;
        await sleep(wait, signal);
      }
    }
  }

  /** The games with evaluations, glyphs and best lines. */
  pgn(id: string, options: CallOptions = {}): Promise<string> {
    return this.#transport.text(
      { method: "GET", path: `${jobPath(id)}/pgn`, accept: "application/x-chess-pgn" }, options,
    );
  }

  /** Stops a review and deletes it. Its URLs then answer 410 `gone`. */
  async stop(id: string, options: CallOptions = {}): Promise<void> {
    await this.#transport.text({ method: "DELETE", path: jobPath(id) }, options);
  }
}

function jobPath(id: string): string {
  return `/v1/games/${encodeURIComponent(id)}`;
}

/** `crypto.randomUUID` is missing on pages that do not use https. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
