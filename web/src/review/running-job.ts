/** The job of the page's review: sent, followed to its end, stopped, and kept over reloads. */
import { batch, createSignal, onCleanup, untrack } from "solid-js";
import { createStore } from "solid-js/store";
import { Refusal, type Client, type ServerEvent } from "../engine/client";
import { announce } from "../ui/toasts";
import { saveText } from "../ui/save-text";
import type { Game } from "./game";
import { cancel, follow, readLimits, reviewedPgn, submit } from "./job";
import type { PerPlayer } from "./protocol";
import { keepRecord, type ReviewRecord } from "./record";
import type { Wait } from "./retry";
import { merge, movesDone, newReview, type ReviewData } from "./review-data";
import { goneText, refusalText } from "./texts";

/**
 * `sending`: the server has not answered yet. `queued`: no move is reviewed. `stopped`: by the
 * user. `failed`: the server refused the game or could not review it. `gone`: the server has no
 * such job any more.
 */
export type Phase =
  | "idle" | "sending" | "queued" | "running" | "done" | "stopped" | "failed" | "gone";

export interface JobState {
  phase: Phase;
  game: Game | null;
  /** The id of the job, while the server has it. */
  job: string | null;
  /** What went wrong, as a sentence. */
  problem: string | null;
  /** Why nothing arrives at present. */
  wait: Wait | null;
  /** When the first move arrived, in the clock of `performance.now()`. */
  startedAt: number;
  /** The searches that the server runs at a time. */
  workers: number;
}

const ACTIVE: ReadonlySet<Phase> = new Set(["sending", "queued", "running"]);

function finishedText({ white, black }: PerPlayer): string {
  const text = (value: number | null) => (value === null ? "none" : `${value.toFixed(1)}%`);
  return `The review is finished. Accuracy: White ${text(white)}, Black ${text(black)}.`;
}

export function createRunningJob(client: Client) {
  const [state, setState] = createStore<JobState>({
    phase: "idle", game: null, job: null, problem: null, wait: null, startedAt: 0, workers: 1,
  });
  const [data, setData] = createSignal<ReviewData | null>(null);
  let work: AbortController | undefined;
  onCleanup(() => work?.abort());

  const isActive = () => ACTIVE.has(state.phase);
  const onWait = (wait: Wait | null) => setState("wait", wait);

  function onEvent(event: ServerEvent) {
    const before = untrack(data);
    if (!before) return;
    batch(() => {
      const after = merge(before, event);
      setData(after);
      if (state.phase === "queued" && after.isRunning) {
        setState({ phase: "running", startedAt: performance.now() });
      }
    });
  }

  /** Submits the game of a record, unless that has been done, and follows its job to the end. */
  async function run(record: ReviewRecord, pgn: string) {
    if (isActive()) stop();
    const { signal } = (work = new AbortController());
    const { game } = record;
    batch(() => {
      setData(newReview(game.moves.length));
      const phase = record.job === null ? "sending" : "queued";
      setState({ phase, game, job: record.job, problem: null, wait: null });
    });
    keepRecord(record);
    try {
      let { job } = record;
      const limits = await readLimits(client, signal, onWait);
      setState("workers", limits.workers);
      if (job === null) {
        const submission = { ...record, pgn, plies: game.moves.length };
        job = (await submit(client, submission, limits, signal, onWait)).id;
        if (signal.aborted) return;
        keepRecord({ ...record, job });
        setState({ job, phase: "queued" });
      }
      await follow(client, job, signal, onWait, onEvent);
      finish({ ...record, job });
    } catch (error) {
      if (!signal.aborted) fail(error, record);
    }
  }

  function finish(record: ReviewRecord) {
    const review = untrack(data);
    const head = review?.head;
    if (review?.end === "done" && head && !head.error) {
      keepRecord({ ...record, isDone: true });
      setState({ phase: "done", wait: null });
      if (!record.isDone) announce(finishedText(head.accuracy));
      return;
    }
    keepRecord(null);
    const isGone = review?.end === "cancelled";
    const text = isGone ? goneText("gone") : "The server could not finish the review.";
    setState({
      phase: isGone ? "gone" : "failed", job: null, wait: null,
      problem: head?.error?.detail ?? text,
    });
  }

  function fail(error: unknown, { isDone }: ReviewRecord) {
    keepRecord(null);
    const status = error instanceof Refusal ? error.problem.status : null;
    const isGone = status === 404 || status === 410;
    const code = error instanceof Refusal ? error.problem.code : "";
    setState({
      phase: isGone ? "gone" : "failed", job: null, wait: null,
      problem: isGone ? goneText(isDone ? "expired" : code) : refusalText(error),
    });
  }

  /** Stops the job. The moves that were reviewed stay. */
  function stop() {
    const { job } = state;
    work?.abort();
    keepRecord(null);
    if (job !== null) void cancel(client, job);
    const review = untrack(data);
    const hasMoves = review !== null && movesDone(review) > 0;
    setState({ phase: hasMoves ? "stopped" : "idle", job: null, wait: null });
  }

  return {
    state,
    data,
    isActive,
    /**
     * Whether the review needs the only worker. A live analysis goes before a review, so the
     * page's own would let its review wait for ever.
     */
    needsWorker: () => isActive() && !state.wait && state.workers === 1,
    run,
    stop,
    async download() {
      if (state.job === null) return;
      try {
        saveText("reviewed.pgn", await reviewedPgn(client, state.job));
        setState("problem", null);
      } catch (error) {
        setState("problem", `The PGN was not saved. ${refusalText(error)}`);
      }
    },
  };
}
