/** The job of the tab's review: sent, followed to its end, stopped, and kept over reloads. */
import { batch, createEffect, createSignal, on, onCleanup, untrack } from "solid-js";
import { createStore } from "solid-js/store";
import { Refusal, type Client, type ServerEvent } from "../engine/client";
import { errorText } from "../engine/failure";
import type { Engine } from "../engine/store";
import { announce } from "../ui/toasts";
import { saveText } from "../ui/save-text";
import { sentence } from "../ui/sentence";
import { createFollowers } from "./followers";
import { pgnOf, treeOf } from "./game";
import { cancel, follow, reviewedPgn, submit } from "./job";
import type { PerPlayer } from "./protocol";
import { forgetRecord, keepRecord, type ReviewRecord } from "./record";
import { persist, type Wait } from "./retry";
import { merge, movesDone, newReview, type ReviewData } from "./review-data";
import { goneText, lockedText, refusalText } from "./texts";

/**
 * `sending`: the server has not answered yet. `queued`: no move is reviewed. `stopped`: by the
 * user. `locked`: the server wants another API key, and the review goes on with it. `forbidden`: no
 * key helps, and the review goes on with another try. `failed`: the server refused the game or
 * could not review it. `gone`: the server has no such job any more.
 */
type Phase =
  | "idle" | "sending" | "queued" | "running" | "done" | "stopped" | "locked" | "forbidden"
  | "failed" | "gone";

interface JobState {
  phase: Phase;
  /** The review, with the id of its job while the server has it. */
  record: ReviewRecord | null;
  /** What went wrong, as a sentence. */
  problem: string | null;
  /** Why nothing arrives at present. */
  wait: Wait | null;
  /** The moves that were done when the time of the others began, by `performance.now()`. */
  startedWith: number;
  startedAt: number;
}

/** The moves that arrive in this time after the first one may be those from before a reload. */
const REPLAY_MS = 1_000;

/** The work for a review, until it ends or is stopped. */
interface Run {
  readonly work: AbortController;
  /** The id of the job, once the server has answered. */
  readonly job: Promise<string>;
}

const ACTIVE: ReadonlySet<Phase> = new Set(["sending", "queued", "running"]);

function finishedText({ white, black }: PerPlayer): string {
  const text = (value: number | null) => (value === null ? "none" : `${value.toFixed(1)}%`);
  return `The review is finished. Accuracy: White ${text(white)}, Black ${text(black)}.`;
}

export function createRunningJob(client: Client, engine: Engine) {
  const [state, setState] = createStore<JobState>({
    phase: "idle", record: null, problem: null, wait: null, startedWith: 0, startedAt: 0,
  });
  const [data, setData] = createSignal<ReviewData | null>(null);
  const followers = createFollowers();
  let current: Run | null = null;
  let firstMoveAt = -Infinity;
  onCleanup(() => current?.work.abort());

  const isActive = () => ACTIVE.has(state.phase);

  function onEvent(event: ServerEvent) {
    const before = untrack(data);
    if (!before) return;
    batch(() => {
      const after = merge(before, event);
      setData(after);
      const now = performance.now();
      if (state.phase === "queued" && after.isRunning) {
        firstMoveAt = now;
        setState("phase", "running");
      }
      if (now - firstMoveAt < REPLAY_MS) {
        setState({ startedWith: movesDone(after), startedAt: now });
      }
    });
  }

  const waitsOf = ({ signal }: AbortController) => (wait: Wait | null) => {
    if (!signal.aborted) setState("wait", wait);
  };

  /** Submits the game of a record, unless that has been done. */
  async function jobOf(record: ReviewRecord, work: AbortController): Promise<string> {
    const { signal } = work;
    const onWait = waitsOf(work);
    const { game, headers, job } = record;
    const limits = engine.state.limits ?? await persist(engine.readLimits, signal, onWait);
    if (job !== null) return job;
    signal.throwIfAborted();
    const pgn = pgnOf(treeOf(game, new Map(headers)));
    const submission = { ...record, pgn, plies: game.moves.length };
    return submit(client, submission, limits, signal, onWait);
  }

  /** Follows a review from its submission to its end. */
  async function run(record: ReviewRecord) {
    stop();
    const work = new AbortController();
    const { signal } = work;
    const job = jobOf(record, work);
    current = { work, job };
    followers.join(record.key);
    keepRecord(record);
    batch(() => {
      setData(newReview(record.game.moves.length));
      const phase = record.job === null ? "sending" : "queued";
      setState({ phase, record, problem: null, wait: null });
    });
    try {
      const sent = { ...record, job: await job };
      if (signal.aborted) return;
      keepRecord(sent);
      setState({ record: sent, phase: "queued" });
      await follow(client, sent.job, signal, waitsOf(work), onEvent);
      finish(sent);
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  }

  /**
   * Ends the work for the review. `problem` says why the server has no job for it any more, if
   * `hasJob` is false.
   */
  function end(phase: Phase, problem: string | null = null, hasJob = phase === "done") {
    const { record } = state;
    followers.leave();
    current = null;
    if (record && !hasJob) forgetRecord(record);
    const kept = hasJob ? record : record && { ...record, job: null };
    setState({ phase, record: kept, wait: null, problem });
  }

  function finish(record: ReviewRecord) {
    const review = untrack(data);
    const head = review?.head;
    if (review?.end === "done" && head && !head.error) {
      const done = { ...record, isDone: true };
      keepRecord(done);
      setState({ record: done });
      end("done");
      if (!record.isDone) announce(finishedText(head.accuracy));
    } else if (review?.end === "cancelled") {
      end("gone", goneText("gone"));
    } else {
      end("failed", sentence(head?.error?.detail ?? "The server could not finish the review."));
    }
  }

  function fail(error: unknown) {
    const { status, code } = error instanceof Refusal ? error.problem : { status: 0, code: "" };
    if (status === 401) {
      current = null;
      setState({ phase: "locked", wait: null, problem: lockedText(error) });
    } else if (status === 403) {
      current = null;
      setState({ phase: "forbidden", wait: null, problem: errorText(error) });
    } else if (code === "not_found" || code === "gone") {
      end("gone", goneText(state.record?.isDone ? "expired" : code));
    } else {
      end("failed", refusalText(error));
    }
  }

  /** Goes on with a review that the server has refused. */
  function retry() {
    if (state.record) void run({ ...state.record });
  }

  // With another key the server may let the review go on.
  createEffect(on(client.key, () => {
    if (state.phase === "locked") retry();
  }, { defer: true }));

  /**
   * Stops the review and deletes its job, unless another tab follows it, too, or the review is
   * finished and only read again. The moves that were reviewed stay. A game that is being sent is a
   * job only when the server has answered.
   */
  function stop() {
    if (!current) return;
    const { work, job } = current;
    work.abort();
    const isDone = untrack(() => state.record?.isDone === true);
    if (!isDone && !followers.isShared()) job.then((id) => cancel(client, id), () => undefined);
    const review = untrack(data);
    end(review && movesDone(review) > 0 ? "stopped" : "idle", null, isDone);
  }

  return {
    state,
    data,
    isActive,
    /**
     * Whether the review needs the only worker. A live analysis goes before a review, so the
     * page's own would let its review wait for ever. One that is finished is only read again.
     */
    needsWorker: () => isActive() && !state.record?.isDone && !state.wait
      && engine.state.limits?.workers === 1,
    run,
    retry,
    stop,
    async download() {
      const job = state.record?.job ?? null;
      if (job === null) return;
      try {
        saveText("reviewed.pgn", await reviewedPgn(client, job));
        setState("problem", null);
      } catch (error) {
        setState("problem", `The PGN was not saved. ${refusalText(error)}`);
      }
    },
  };
}
