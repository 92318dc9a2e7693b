/** The practice on the page: its mistake on the board, and tries that the server judges. */
import type { Color } from "chessops/types";
import { createEffect, createMemo, createSignal, on, untrack } from "solid-js";
import type { Client } from "../engine/client";
import type { Game } from "./game";
import type { Judge } from "./judge";
import { normalUci } from "./line";
import { isOf } from "./navigation";
import * as steps from "./practice";
import type { Practice } from "./practice";
import { judgeTry, knownVerdict, solutionText, type Try } from "./practice-try";
import { mistakesOf, type ReviewData } from "./review-data";
import { scratchOf, type Scratch } from "./scratch";
import { refusalText } from "./texts";

interface PracticeParts {
  readonly client: Client;
  readonly judge: Judge;
  readonly game: () => Game | null;
  readonly data: () => ReviewData | null;
  /** The position before a half move of the game. */
  readonly fenBefore: (ply: number) => string | null;
  /** Shows the position before a half move in the tree. */
  readonly show: (ply: number) => void;
  /** Whether the tree shows the position before this half move, and the panel is open. */
  readonly isAt: (ply: number) => boolean;
  /** Whether the tree has the game of the practice, and the panel is open. */
  readonly isInView: () => boolean;
  /** Shows the board from the side of a player, or as the user has turned it. */
  readonly showPracticeSide: (color: Color | null) => void;
}

type Steps = ReturnType<typeof createSteps>;

/** The steps of the practice that runs, if one does. */
function createSteps() {
  const [practice, setPractice] = createSignal<Practice | null>(null);
  return {
    practice,
    setPractice,
    /** The mistake that is asked for now. */
    mistake: createMemo(() => {
      const running = practice();
      return running && steps.currentMistake(running);
    }),
    change: (step: (practice: Practice) => Practice) =>
      setPractice((running) => running && step(running)),
  };
}

/** The board of the practice, while the tree shows the position before the mistake. */
function createScratch(parts: PracticeParts, { practice, mistake }: Steps) {
  /** Sets the position anew when a move was refused, since the board has drawn it already. */
  const [refused, setRefused] = createSignal(0);
  const scratch = createMemo((): Scratch | null => {
    refused();
    const asked = mistake();
    const fen = asked && parts.isAt(asked.ply) ? parts.fenBefore(asked.ply) : null;
    return fen === null ? null : scratchOf(fen, practice()?.move ?? null);
  });
  return { scratch, refuse: () => setRefused((count) => count + 1) };
}

/** The board from the side of the player who practises, until the practice ends or leaves view. */
function useSide(parts: PracticeParts, { mistake }: Steps, color: () => Color) {
  const side = createMemo(() => (mistake() && parts.isInView() ? color() : null));
  createEffect(on(side, parts.showPracticeSide));
}

export function createPractice(parts: PracticeParts) {
  const running = createSteps();
  const { practice, setPractice, mistake, change } = running;
  const { scratch, refuse } = createScratch(parts, running);
  const [color, setColor] = createSignal<Color>("white");
  useSide(parts, running, color);
  let search: AbortController | undefined;

  function showMistake() {
    const asked = untrack(mistake);
    if (asked) parts.show(asked.ply);
  }

  async function judge(tried: Try) {
    const { signal } = (search = new AbortController());
    try {
      const known = knownVerdict(tried);
      const { grade, text } =
        known ?? await judgeTry(parts.client, parts.judge, tried, parts.game(), signal);
      if (!signal.aborted) change((before) => steps.judged(before, grade, text));
    } catch (error) {
      const text = `Not judged: ${refusalText(error)} Try it again.`;
      if (!signal.aborted) change((before) => steps.notJudged(before, text));
    }
  }

  return {
    practice,
    color,
    mistake,
    scratch,
    /** Whether the engine and other help must be hidden. */
    isHidden: () => scratch() !== null && practice()?.phase !== "found"
      && practice()?.phase !== "shown",
    start(player: Color) {
      const data = parts.data();
      if (!data) return;
      setColor(player);
      const own = mistakesOf(data).filter((each) => each.best && isOf(each, { color: player }));
      setPractice(steps.startPractice(own));
      showMistake();
    },
    stop() {
      search?.abort();
      setPractice(null);
    },
    /** Takes a move that was made on the scratch board. */
    play(uci: string) {
      const asked = untrack(mistake);
      const fen = asked && parts.fenBefore(asked.ply);
      const move = fen ? normalUci(fen, uci) : null;
      if (!asked || !fen || move === null || untrack(practice)?.phase !== "find") {
        refuse();
        return;
      }
      change((before) => steps.tryMove(before, move));
      void judge({ mistake: asked, fen, uci: move });
    },
    showSolution() {
      const asked = untrack(mistake);
      if (!asked) return;
      const text = solutionText(asked, parts.fenBefore(asked.ply));
      change((before) => steps.showSolution(before, text));
    },
    next() {
      change(steps.next);
      showMistake();
    },
    /** Goes back to the mistake after the user went elsewhere in the tree. */
    resume: showMistake,
  };
}

export type PracticeStore = ReturnType<typeof createPractice>;
