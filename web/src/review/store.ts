/** The review of the page: its job, and what its results say of the tree. */
import type { Color } from "chessops/types";
import { createEffect, createMemo, untrack } from "solid-js";
import { COLOR_NAMES } from "../board/squares";
import type { Client } from "../engine/client";
import type { Engine } from "../engine/store";
import { ROOT, type TreeNode } from "../tree/tree";
import type { TreeStore } from "../tree/store";
import { toast } from "../ui/toasts";
import { addReview } from "./annotate";
import { createDetour } from "./detour";
import { gameOf, nodesOf, treeOf } from "./game";
import { glyphsOf, shownNags } from "./glyphs";
import { createJudge } from "./judge";
import { useMistakeKeys } from "./keys";
import type { Level } from "./levels";
import { createLiveJudgement } from "./live-judgement";
import { nextMistake, type Filter } from "./navigation";
import { createPractice } from "./practice-store";
import type { MoveReview } from "./protocol";
import { keptRecord, newKey } from "./record";
import { mistakesOf } from "./review-data";
import { createRunningJob } from "./running-job";
import { shownJudgement, type ShownJudgement } from "./shown-judgement";

export interface ReviewParts {
  readonly tree: TreeStore;
  readonly engine: Engine;
  readonly client: Client;
  /** Whether the panel is open. */
  readonly isOpen: () => boolean;
  readonly open: () => void;
  readonly orientation: () => Color;
  readonly showPracticeSide: (color: Color | null) => void;
}

/** The reviewed game in the tree: its nodes, and which of its moves is shown. */
function createPlace({ tree }: ReviewParts, { state, data }: ReturnType<typeof createRunningJob>) {
  const game = () => state.record?.game ?? null;
  const nodeIds = createMemo(() => {
    const reviewed = game();
    return reviewed && nodesOf(tree.tree(), reviewed);
  });
  const plies = createMemo(() => new Map(nodeIds()?.map((id, ply) => [id, ply])));
  const shownPly = createMemo(() => plies().get(tree.current().id) ?? null);
  return {
    game,
    /** The nodes of the reviewed game, the root first. `null` if the tree shows another game. */
    nodeIds,
    /** The half move of the reviewed game that is shown, or `null` in a variation. */
    shownPly,
    /** The last half move of the game on the path to the shown position. */
    lastPly: createMemo(() =>
      tree.path().reduce((last, { id }) => plies().get(id) ?? last, 0)),
    shownReview: createMemo((): MoveReview | null => {
      const ply = shownPly();
      return ply === null || ply === 0 ? null : (data()?.moves[ply - 1] ?? null);
    }),
    fenAt(ply: number): string | null {
      const id = nodeIds()?.[ply];
      return id === undefined ? null : tree.node(id).fen;
    },
    show(ply: number) {
      const id = untrack(nodeIds)?.[ply];
      if (id !== undefined) tree.show(id);
    },
  };
}

export function createReview(parts: ReviewParts) {
  const { tree, engine, client } = parts;
  const job = createRunningJob(client, engine);
  const { state, data } = job;
  const place = createPlace(parts, job);
  const mistakes = createMemo(() => {
    const review = data();
    return review ? mistakesOf(review) : [];
  });
  const glyphs = createMemo(() => {
    const [, ...ids] = place.nodeIds() ?? [];
    return glyphsOf(ids, data()?.moves ?? []);
  });
  const isReadAgain = () => job.isActive() && state.record?.isDone === true;
  const isPracticeInView = () => parts.isOpen() && place.nodeIds() !== null;
  const judge = createJudge(client);
  const practice = createPractice({
    client, judge, data, game: place.game, show: (ply) => place.show(ply - 1),
    isInView: isPracticeInView,
    showPracticeSide: parts.showPracticeSide,
    fenBefore: (ply) => place.fenAt(ply - 1),
    isAt: (ply) => parts.isOpen() && place.shownPly() === ply - 1,
  });
  const liveJudgement = createLiveJudgement(parts, judge);
  const detour = createDetour(tree, engine);
  createEffect(() => engine.lookAside(place.shownReview() ? null : detour()));

  /** Goes on with the review that the tab kept, if there is one. */
  function restore() {
    const record = keptRecord();
    if (!record) return;
    const isEmpty = tree.tree().nodes.size === 1;
    if (!record.isDone && isEmpty) tree.load(treeOf(record.game, new Map(record.headers)));
    if (!record.isDone) parts.open();
    void job.run(record);
  }

  function goToMistake(direction: 1 | -1, filter: Filter = {}) {
    // A practice out of view is over: these keys would do nothing, and nobody would see why.
    if (untrack(practice.practice)) {
      if (untrack(isPracticeInView)) return;
      practice.stop();
    }
    const found = nextMistake(untrack(mistakes), untrack(place.lastPly), direction, filter);
    if (found && untrack(place.nodeIds)) place.show(found.ply);
    else toast("There is no such mistake. Review the game to find its mistakes.");
  }

  useMistakeKeys(goToMistake, parts.orientation);
  untrack(restore);

  return {
    state,
    data,
    mistakes,
    practice,
    nodeIds: place.nodeIds,
    shownPly: place.shownPly,
    showPly: place.show,
    isActive: job.isActive,
    needsWorker: job.needsWorker,
    stop: job.stop,
    retry: job.retry,
    download: job.download,
    goToMistake,
    /** The move on the board. */
    shownMove: () => tree.current().uci,
    /** Why the shown move has no live judgement yet, as a sentence. */
    judgementHint(): string {
      if (tree.current().uci === null) return "A move that is played is judged here.";
      if (engine.state.isHidden) return "The engine is hidden: the move is not judged.";
      if (job.needsWorker()) return "The move is judged when the review has reached it.";
      if (!engine.state.isEnabled) return "The engine is paused: the move is not judged.";
      if (engine.state.connection === "waiting") {
        return "The server cannot be reached: the move is judged when it is back.";
      }
      return liveJudgement.problem() ?? "Judging the move…";
    },
    /** What the review says of the shown move, or else the running analysis. */
    judgement: createMemo((): ShownJudgement | null => {
      // A finished review that is read again after a reload has its judgement in a moment.
      if (practice.scratch() || (isReadAgain() && place.shownPly())) return null;
      const ply = place.shownPly() ?? 0;
      const move = place.shownReview();
      return shownJudgement({
        node: tree.current(), move, fenBefore: place.fenAt(ply - 1) ?? tree.node(ROOT).fen,
        answer: data()?.moves[ply]?.line ?? [], live: move ? null : liveJudgement.judgement(),
      });
    }),
    /** The glyphs of a move in the list, with the review's. */
    nagsOf: (node: TreeNode) => shownNags(node, glyphs()),
    /** Whether the moves must be hidden, because a variation there shows the solution. */
    hidesMoves: () => practice.isHidden() && tree.current().children.length > 1,
    /** The name of a player by the tags of the game. */
    nameOf(color: Color): string {
      const side = COLOR_NAMES[color];
      const name = tree.tree().headers.get(side);
      return name && name !== "?" ? name : side;
    },
    /** The number of moves of the game that would be reviewed now. */
    movesToReview: createMemo(() => gameOf(tree.tree()).moves.length),
    /** Whether the main line is still the game of the review. */
    isCurrent: createMemo(() => {
      const { fen, moves } = gameOf(tree.tree());
      return fen === place.game()?.fen && moves.join() === place.game()?.moves.join();
    }),
    start(level: Level) {
      const game = gameOf(tree.tree());
      if (game.moves.length === 0) return;
      practice.stop();
      const headers = [...tree.tree().headers];
      void job.run({ game, headers, level, key: newKey(), job: null, isDone: false });
    },
    /** Loads the reviewed game in place of the tree's game. */
    showGame() {
      const { record } = state;
      if (record) tree.load(treeOf(record.game, new Map(record.headers)));
    },
    /** Writes the review into the tree as one edit. */
    addToMoves() {
      const [, ...ids] = place.nodeIds() ?? [];
      const moves = data()?.moves;
      if (moves) tree.edit((before) => addReview(before, ids, moves));
    },
  };
}

export type Review = ReturnType<typeof createReview>;
