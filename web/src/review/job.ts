/** A review job on the server: its submission, its events and its end. */
import { Unreachable, type Client, type ServerEvent } from "../engine/client";
import { SilenceTimer } from "../engine/silence";
import { limitsOf, type Level } from "./levels";
import type { Limits, SubmittedJob } from "./protocol";
import { persist, type Wait } from "./retry";

type OnWait = (wait: Wait | null) => void;

interface Submission {
  readonly pgn: string;
  readonly plies: number;
  readonly level: Level;
  readonly key: string;
}

export const readLimits = (client: Client, signal: AbortSignal, onWait: OnWait): Promise<Limits> =>
  persist(() => client.request<Limits>("/v1/limits", { signal }), signal, onWait);

/** Submits a game. A repeated submission with the same key finds the same job. */
export function submit(
  client: Client, { pgn, plies, level, key }: Submission, limits: Limits, signal: AbortSignal,
  onWait: OnWait,
): Promise<SubmittedJob> {
  const json = { pgn, ...limitsOf(level, limits, plies) };
  const headers = { "Idempotency-Key": key };
  return persist(
    () => client.request<SubmittedJob>("/v1/games", { json, headers, signal }), signal, onWait,
  );
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

/** Deletes a job. A server that is gone cannot be told so; its job ends by itself. */
export async function cancel(client: Client, id: string): Promise<void> {
  await client.request(`/v1/games/${id}`, { method: "DELETE" }).catch(() => undefined);
}

/** The reviewed game in PGN as the server writes it. */
export const reviewedPgn = (client: Client, id: string): Promise<string> =>
  client.text(`/v1/games/${id}/pgn`);
