/**
 * The explorer: what the server knows about the shown position. One request brings its opening,
 * its state and the moves in the server's memory.
 */
import { createEffect, createMemo, createSignal, on, onCleanup } from "solid-js";
import type { Overlays } from "../board/overlays";
import type { Client } from "../engine/client";
import { Refusal } from "../engine/errors";
import { errorText } from "../engine/failure";
import { createRequests } from "../engine/requests";
import type { Engine } from "../engine/store";
import type { TreeStore } from "../tree/store";
import { continued, keysUpwards, lineOf, type Line } from "./line";
import type { ExploredPosition, KnownEvaluation, Opening } from "./protocol";
import { createTablebase } from "./tablebase";
import { stateText } from "./texts";
import { createValues } from "./values";

export interface Sources {
  readonly tree: TreeStore;
  readonly engine: Engine;
  readonly client: Client;
  readonly overlays: Overlays;
}

/** What the server knows, and why it did not take the moves before the position. */
export interface Explored extends ExploredPosition {
  readonly withoutMoves: { readonly code: string; readonly text: string } | null;
}

/** When the memory may have the result of an ended search: the page does not see it stored. */
const STORED_AFTER_MS = [300, 1_500, 5_000] as const;

/** While the panel is open, an answer of this age is requested again. */
const MAX_AGE_MS = 15_000;

async function explore(client: Client, line: Line, signal: AbortSignal): Promise<Explored> {
  const get = (fen: string, moves: readonly string[]) => {
    const query = new URLSearchParams({ fen });
    if (moves.length > 0) query.set("moves", moves.join(","));
    return client.request<ExploredPosition>(`/v1/explore?${query}`, {
      signal, priority: "background",
    }).then(compact);
  };
  try {
    return { ...(await get(line.root, line.moves)), withoutMoves: null };
  } catch (error) {
    const withoutMoves = refusedMoves(error);
    if (!withoutMoves) throw error;
    return { ...(await get(line.fen, [])), withoutMoves };
  }
}

/** The answer without what the page does not show: a kept answer takes a third of the memory. */
function compact(answer: ExploredPosition): ExploredPosition {
  const evaluation = (known: KnownEvaluation | null) =>
    known && { score: known.score, depth: known.depth, age_ms: known.age_ms };
  const { status, winner, draw_reason, claims, turn, opening = null, known, moves } = answer;
  return {
    status, winner, draw_reason, claims, turn, opening, known: evaluation(known),
    moves: moves && moves.map((move) => ({
      uci: move.uci, san: move.san, status: move.status, known: evaluation(move.known),
      score: move.score,
    })),
  };
}

/** The reason of a refusal of the moves before the position: too many, or a game over. */
function refusedMoves(error: unknown): Explored["withoutMoves"] {
  if (!(error instanceof Refusal)) return null;
  const { code, status, errors } = error.problem;
  const isAboutMoves = code === "illegal_move" || status === 431 || status === 414 ||
    errors?.some(({ pointer }) => pointer?.startsWith("/moves"));
  return isAboutMoves ? { code, text: errorText(error) } : null;
}

export function createExplorer({ tree, engine, client, overlays }: Sources) {
  const [isOpen, setOpen] = createSignal(false);
  const [isKnownOnly, setKnownOnly] = createSignal(false);
  const line = createMemo(() => lineOf(tree.path()), undefined, {
    equals: (before, after) => before.key === after.key,
  });
  /** The lines after the shown position whose moves are shown, too. */
  const [ahead, setAhead] = createSignal<{ of: string; lines: readonly Line[] }>({
    of: "", lines: [],
  });
  const linesAhead = () => (ahead().of === line().key ? ahead().lines : []);
  const requests = createRequests<Explored>(
    () => [line(), ...(isOpen() ? linesAhead() : [])].map((asked) => ({
      key: asked.key, load: (signal) => explore(client, asked, signal),
    })),
    { engine, client, maxAgeMs: () => (isOpen() ? MAX_AGE_MS : Infinity) },
  );
  const values = createValues({ tree, engine, client, overlays });
  const tablebase = createTablebase({ tree, engine, client, isOpen });

  let timers: ReturnType<typeof setTimeout>[] = [];
  const stopTimers = () => timers.forEach(clearTimeout);
  onCleanup(stopTimers);
  createEffect(on(() => engine.state.isSearching, (isSearching, was) => {
    stopTimers();
    if (!was || isSearching) return isSearching;
    const endedAt = performance.now();
    timers = STORED_AFTER_MS.map((wait) => setTimeout(() => {
      const entry = requests.kept(line().key);
      const storedAt = entry?.answer.known ? entry.at - entry.answer.known.age_ms : -Infinity;
      if (isOpen() && storedAt < endedAt) requests.refresh();
    }, wait));
    return isSearching;
  }));
  const explored = () => requests.kept(line().key)?.answer;
  return {
    line,
    kept: requests.kept,
    explored,
    /** The last name of the line. Until the answer comes, the last one that is known. */
    opening: createMemo((): Opening | null => {
      for (const key of keysUpwards(line())) {
        const opening = requests.kept(key)?.answer.opening;
        if (opening) return opening;
      }
      return null;
    }),
    /** What ended the game, or what the player to move may claim, as a sentence. */
    state: createMemo((): string | null => {
      const answer = explored();
      if (!answer) return null;
      const isAfterEnd = answer.withoutMoves?.code === "illegal_move";
      return stateText(answer) ?? (isAfterEnd ? "The game was drawn before this position." : null);
    }),
    problem: requests.problem,
    isLoading: requests.isLoading,
    refresh() {
      requests.refresh();
      tablebase.refresh();
    },
    isOpen,
    /** Whether the moves are shown, and so must be up to date. */
    setOpen(isShown: boolean) {
      setOpen(isShown);
      if (isShown) requests.refresh();
    },
    isKnownOnly,
    setKnownOnly,
    linesAhead,
    /** Shows the moves after these moves, too, or hides them. */
    toggleAhead(moves: readonly string[]) {
      const { key } = continued(line(), moves, "");
      const lines = linesAhead();
      const others = lines.filter((other) => other.key !== key);
      const isShown = others.length < lines.length;
      setAhead({
        of: line().key, lines: isShown ? others : [...lines, continued(line(), moves, "")],
      });
    },
    values,
    tablebase,
  };
}

export type Explorer = ReturnType<typeof createExplorer>;
