/** The review of the page: its job on the server, its results, and what they say of the tree. */
import type { Color } from "chessops/types";
import { batch, createEffect, createMemo, createSignal, onCleanup, untrack } from "solid-js";
import { createStore } from "solid-js/store";
import { Refusal, type Client } from "../engine/client";
import type { Engine } from "../engine/store";
import { ROOT } from "../tree/tree";
import type { TreeStore } from "../tree/store";
import { announce, toast } from "../ui/toasts";
import { addReview } from "./annotate";
import { createDetour } from "./detour";
import { gameOf, nodesOf, pgnOf, treeOf, type Game } from "./game";
import { cancel, follow, readLimits, reviewedPgn, submit } from "./job";
import type { Level } from "./levels";
import { useMistakeKeys } from "./keys";
import { createLiveJudgement, type Judgement } from "./live-judgement";
import { viewOf, moverBefore } from "./mover";
import { nextMistake, type Filter } from "./navigation";
import { createPractice } from "./practice-store";
import type { MoveReview } from "./protocol";
import { keepRecord, keptRecord, newKey, type ReviewRecord } from "./record";
import type { Wait } from "./retry";
import { merge, mistakesOf, movesDone, newReview, type ReviewData } from "./review-data";
import { saveText } from "./save";
import { sentenceOf } from "./sentence";
import { goneText, refusalText } from "./texts";

/**
 * `sending`: the server has not answered yet. `queued`: no move is reviewed. `stopped`: by the
 * user. `failed`: the server refused the game or could not review it. `gone`: the server has no
 * such job any more.
 */
export type Phase =
  | "idle" | "sending" | "queued" | "running" | "done" | "stopped" | "failed" | "gone";

export interface ReviewState {
  phase: Phase;
  game: Game | null;
  level: Level;
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

export interface ReviewParts {
  readonly tree: TreeStore;
  readonly engine: Engine;
  readonly client: Client;
  /** Whether the panel is open. */
  readonly isOpen: () => boolean;
  readonly open: () => void;
  readonly orientation: () => Color;
  readonly orient: (color: Color) => void;
}

const isActive = (phase: Phase) => phase === "sending" || phase === "queued" || phase === "running";

export function createReview(parts: ReviewParts) {
  const { tree, engine, client } = parts;
  const [state, setState] = createStore<ReviewState>({
    phase: "idle", game: null, level: "standard", job: null, problem: null, wait: null,
    startedAt: 0, workers: 1,
  });
  const [data, setData] = createSignal<ReviewData | null>(null);
  let work: AbortController | undefined;
  onCleanup(() => work?.abort());

  /** The nodes of the reviewed game, the root first. `null` if the tree shows another game. */
  const nodeIds = createMemo(() => state.game && nodesOf(tree.tree(), state.game));
  const plies = createMemo(() => new Map(nodeIds()?.map((id, ply) => [id, ply])));
  /** The half move of the reviewed game that is shown, or `null` in a variation. */
  const shownPly = createMemo(() => plies().get(tree.current().id) ?? null);
  /** The last half move of the game on the path to the shown position. */
  const lastPly = createMemo(() =>
    tree.path().reduce((last, { id }) => plies().get(id) ?? last, 0));
  const shownReview = createMemo((): MoveReview | null => {
    const ply = shownPly();
    return ply === null || ply === 0 ? null : (data()?.moves[ply - 1] ?? null);
  });
  const mistakes = createMemo(() => {
    const review = data();
    return review ? mistakesOf(review) : [];
  });
  const showPly = (ply: number) => {
    const id = untrack(nodeIds)?.[ply];
    if (id !== undefined) tree.show(id);
  };

  function onEvent(event: Parameters<typeof merge>[1]) {
    batch(() => {
      const before = untrack(data);
      if (!before) return;
      const after = merge(before, event);
      setData(after);
      if (state.phase === "queued" && after.isRunning) {
        setState({ phase: "running", startedAt: performance.now() });
      }
    });
  }

  /** Submits the game of a record, unless that has been done, and follows its job to the end. */
  async function run(record: ReviewRecord, pgn: string) {
    const own = (work = new AbortController());
    const { signal } = own;
    const onWait = (wait: Wait | null) => setState("wait", wait);
    batch(() => {
      setData(newReview(record.game.moves.length));
      setState({
        phase: record.job === null ? "sending" : "queued", game: record.game, level: record.level,
        job: record.job, problem: null, wait: null,
      });
    });
    keepRecord(record);
    try {
      let { job } = record;
      const limits = await readLimits(client, signal, onWait);
      setState("workers", limits.workers);
      if (job === null) {
        const submission = { pgn, plies: record.game.moves.length, ...record };
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
    const error = review?.head?.error;
    if (review?.end === "done" && !error) {
      keepRecord({ ...record, isDone: true });
      setState({ phase: "done", wait: null });
      if (!record.isDone) announce("The review is finished.");
      return;
    }
    keepRecord(null);
    const isGone = review?.end === "cancelled";
    setState({
      phase: isGone ? "gone" : "failed", wait: null,
      problem: error?.detail ?? (isGone ? goneText("gone") : "The server could not finish the review."),
    });
  }

  function fail(error: unknown, record: ReviewRecord) {
    keepRecord(null);
    const isGone =
      error instanceof Refusal && (error.problem.status === 404 || error.problem.status === 410);
    setState({
      phase: isGone ? "gone" : "failed", wait: null, job: null,
      problem: isGone ? goneText(record.isDone ? "expired" : error.problem.code)
        : refusalText(error),
    });
  }

  const practice = createPractice({
    client, data, game: () => state.game, show: (ply) => showPly(ply - 1), orient: parts.orient,
    fenBefore: (ply) => {
      const id = nodeIds()?.[ply - 1];
      return id === undefined ? null : tree.node(id).fen;
    },
    isAt: (ply) => parts.isOpen() && shownPly() === ply - 1,
  });

  function start(level: Level) {
    const game = gameOf(tree.tree());
    if (game.moves.length === 0) return;
    if (isActive(state.phase)) stop();
    work?.abort();
    practice.stop();
    const headers = [...tree.tree().headers];
    const record = { game, headers, level, key: newKey(), job: null, isDone: false };
    void run(record, pgnOf(tree.tree()));
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

  /** Goes on with the review that the browser kept, if there is one. */
  function restore() {
    const record = keptRecord();
    if (!record) return;
    const { game, isDone } = record;
    const isEmpty = gameOf(tree.tree()).moves.length === 0 && tree.tree().nodes.size === 1;
    const kept = treeOf(game, new Map(record.headers));
    if (!isDone && isEmpty) tree.load(kept);
    if (!isDone) parts.open();
    void run(record, pgnOf(kept));
  }

  const liveJudgement = createLiveJudgement(tree, engine);
  const detour = createDetour(tree, engine);
  createEffect(() => engine.lookAside(shownReview() ? null : detour()));

  /** What the review says of the shown move, or else the running analysis. */
  const judgement = createMemo((): Judgement | null => {
    if (practice.scratch()) return null;
    const move = shownReview();
    return move ? judgementOfReview(move, shownPly() ?? 0) : liveJudgement();
  });

  function judgementOfReview(move: MoveReview, ply: number): Judgement {
    const mover = moverBefore(move.fen);
    const ids = nodeIds() ?? [];
    const fenBefore = tree.node(ids[ply - 1] ?? ROOT).fen;
    const { type, value } = viewOf(move.after, mover);
    const after = { type, value: type === "mate" && value === 0 ? 1 : value };
    const text = sentenceOf(
      {
        san: move.san, fenBefore, bestSan: move.best_san, bestLine: move.line,
        fenAfter: move.fen, answer: data()?.moves[ply]?.line ?? [],
        before: viewOf(move.before, mover), after,
      },
      move, move.best === move.uci,
    );
    return { ...move, text };
  }

  function goToMistake(direction: 1 | -1, filter: Filter = {}) {
    if (untrack(practice.practice)) return;
    const found = nextMistake(untrack(mistakes), untrack(lastPly), direction, filter);
    if (found && untrack(nodeIds)) showPly(found.ply);
    else toast("There is no such mistake. Review the game to find its mistakes.");
  }
  useMistakeKeys(goToMistake, parts.orientation);

  untrack(restore);

  return {
    state,
    data,
    mistakes,
    nodeIds,
    shownPly,
    shownReview,
    practice,
    /** Whether the moves must be hidden, because a variation there shows the solution. */
    hidesMoves: () => practice.isHidden() && tree.current().children.length > 1,
    judgement,
    isActive: () => isActive(state.phase),
    /**
     * Whether the review needs the only worker. A live analysis goes before a review, so the page's
     * own would let its review wait for ever.
     */
    needsWorker: () => isActive(state.phase) && !state.wait && state.workers === 1,
    /** The number of moves of the game that would be reviewed now. */
    movesToReview: createMemo(() => gameOf(tree.tree()).moves.length),
    /** Whether the main line is still the game of the review. */
    isCurrent: createMemo(() => {
      const { fen, moves } = gameOf(tree.tree());
      return fen === state.game?.fen && moves.join() === state.game.moves.join();
    }),
    start,
    stop,
    showPly,
    /** The move on the board, and whether the engine looks at it. */
    shown: () => ({ move: tree.current().uci, engine: engine.state.isEnabled }),
    /** The name of a player by the tags of the game. */
    nameOf(color: Color): string {
      const name = tree.tree().headers.get(color === "white" ? "White" : "Black");
      const side = color === "white" ? "White" : "Black";
      return name && name !== "?" ? name : side;
    },
    /** Loads the reviewed game in place of the tree's game. */
    showGame() {
      const record = keptRecord();
      if (state.game) tree.load(treeOf(state.game, new Map(record?.headers ?? [])));
    },
    goToMistake,
    /** Writes the review into the tree as one edit. */
    addToMoves() {
      const [, ...ids] = nodeIds() ?? [];
      const moves = data()?.moves;
      if (moves) tree.load(addReview(tree.tree(), ids, moves), tree.current().id);
    },
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

export type Review = ReturnType<typeof createReview>;
