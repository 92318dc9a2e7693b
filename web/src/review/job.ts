/** A review job on the server: its submission, its events and its end. */
import { Unreachable, type Client, type ServerEvent } from "../engine/client";
import type { Limits } from "../engine/protocol";
import { SilenceTimer } from "../engine/silence";
import { limitsOf, type Level } from "./levels";
import type { SubmittedJob } from "./protocol";
import { persist, type Wait } from "./retry";

type OnWait = (wait: Wait | null) => void;

interface Submission {
  readonly pgn: string;
  readonly plies: number;
  readonly level: Level;
  readonly key: string;
}

/**
 * Submits a game and returns the id of its job. A repeated submission with the same key finds the
 * same job. `signal` ends the tries, but no request that the server may have read already: a stop
 * needs the id to delete the job.
 */
export async function submit(
  client: Client, { pgn, plies, level, key }: Submission, limits: Limits, signal: AbortSignal,
  onWait: OnWait,
): Promise<string> {
  const json = { pgn, ...limitsOf(level, limits, plies) };
  const headers = { "Idempotency-Key": key };
  const send = () => client.request<SubmittedJob>("/v1/games", { json, headers });
  return (await persist(send, signal, onWait)).id;
}

/** Follows the events of a job until its `end`, over as many connections as that needs. */
export function follow(
  client: Client, id: string, signal: AbortSignal, onWait: OnWait,
  onEvent: (event: ServerEvent) => void,
): Promise<void> {
  let lastId: string | null = null;
  return persist(async (onAnswer) => {
    const connection = new AbortController();
    const onAbort = () => connection.abort(new Unreachable());
    signal.addEventListener("abort", onAbort);
    const silence = new SilenceTimer(onAbort);
    silence.restart();
    try {
      const events = client.events(`/v1/games/${id}/events?pov=white`, {
        signal: connection.signal, headers: lastId === null ? {} : { "Last-Event-ID": lastId },
      });
      for await (const event of events) {
        silence.restart();
        onAnswer();
        lastId = event.id ?? lastId;
        onEvent(event);
        if (event.type === "end") return;
      }
      // A stream that stops without `end` was interrupted.
      throw new Unreachable();
    } finally {
      silence.stop();
      signal.removeEventListener("abort", onAbort);
    }
  }, signal, onWait);
}

/** A server that is gone for longer deletes no job. The job ends by itself then. */
const MAX_CANCEL_MS = 60_000;

/** Deletes a job, also if the server is busy or gone for a moment. */
export async function cancel(client: Client, id: string): Promise<void> {
  const signal = AbortSignal.timeout(MAX_CANCEL_MS);
  const send = () => client.request(`/v1/games/${id}`, { method: "DELETE", signal });
  await persist(send, signal, () => undefined).catch(() => undefined);
}

/** The reviewed game in PGN as the server writes it. */
export const reviewedPgn = (client: Client, id: string): Promise<string> =>
  client.text(`/v1/games/${id}/pgn`);
