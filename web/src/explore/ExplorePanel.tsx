/** The panel of the positions that the server knows: its memory around the shown position. */
import { createEffect, createMemo, createSignal, Index, onCleanup, Show, type Accessor } from
  "solid-js";
import { squaresOf } from "../board/move-squares";
import type { Overlays } from "../board/overlays";
import { createShown } from "../engine/latest";
import type { TreeStore } from "../tree/store";
import { Icon } from "../ui/Icon";
import { KnownMoves } from "./KnownMoves";
import { createParts } from "./parts";
import { PieceValues } from "./PieceValues";
import { rowsOf, type Row } from "./rows";
import type { Explored, Explorer } from "./store";
import { TablebasePart } from "./TablebasePart";
import { ageText, whiteScoreText } from "./texts";

interface Props {
  tree: TreeStore;
  overlays: Overlays;
  explorer: Explorer | undefined;
}

/** How often the ages are written anew. */
const CLOCK_MS = 10_000;

function createClock(): Accessor<number> {
  const [now, setNow] = createSignal(performance.now());
  const timer = setInterval(() => setNow(performance.now()), CLOCK_MS);
  onCleanup(() => clearInterval(timer));
  return now;
}

export default function ExplorePanel(props: Props) {
  return (
    <Show when={props.explorer} fallback={<p class="hint">Loading…</p>}>
      {(explorer) => <Content {...props} explorer={explorer()} />}
    </Show>
  );
}

function Content(props: Props & { explorer: Explorer }) {
  const { explorer, tree, overlays } = props;
  const now = createClock();
  explorer.setOpen(true);
  onCleanup(() => {
    explorer.setOpen(false);
    overlays.set("explore", null);
  });

  const last = createShown(explorer.kept, () => explorer.line().key);
  const isOutdated = () => last()?.key !== explorer.line().key;
  const shown = () => (isOutdated() && explorer.problem() ? null : last());
  const age = (ms: number, at: number) => ageText(ms + Math.max(now() - at, 0));
  const rows = createMemo((before: readonly Row[]): readonly Row[] => {
    const kept = shown();
    return !kept ? [] : isOutdated() ? before : rowsOf(kept, explorer);
  }, []);
  const unknown = createMemo(() =>
    shown()?.answer.moves?.filter(({ score }) => score === null) ?? []);
  const drawnRows = createParts(rows);
  const drawnUnknown = createParts(unknown, () => drawnRows().length === rows().length);

  const point = (moves: readonly string[] | null) => {
    const shapes = (moves ?? []).flatMap((uci, index, all) => {
      const [orig, dest] = squaresOf(uci);
      if (!orig || !dest) return [];
      return [{ orig, dest, brush: index === all.length - 1 ? "green" : "paleGrey" }];
    });
    overlays.set("explore", shapes.length > 0 ? { shapes, squares: new Map() } : null);
  };
  // An arrow belongs to the position in which it was drawn.
  createEffect(() => {
    explorer.line();
    point(null);
  });
  const play = (moves: readonly string[]) => {
    if (!isOutdated()) tree.playLine(moves);
  };

  const summary = () => {
    const answer = shown();
    if (!answer || isOutdated()) return explorer.problem() ? "" : "Loading…";
    const { known, turn, status } = answer.answer;
    if (!known) return status === "ongoing" ? "not in the memory yet" : "the game is over";
    const score = whiteScoreText(known.score, turn);
    return `${score} · depth ${known.depth} · ${age(known.age_ms, answer.at)}`;
  };
  const note = () => {
    const withoutMoves = isOutdated() ? null : shown()?.answer.withoutMoves;
    if (explorer.problem()) return explorer.problem();
    return withoutMoves
      ? `Shown without the moves before this position. ${withoutMoves.text}`
      : null;
  };

  return (
    <div class="explore-panel" aria-busy={explorer.isLoading()}>
      <div class="explore-bar">
        <label>
          <input
            type="checkbox"
            checked={explorer.isKnownOnly()}
            onChange={(event) => explorer.setKnownOnly(event.currentTarget.checked)}
          /> Known only
        </label>
        <label title="Show what each piece is worth (v)">
          <input
            type="checkbox"
            checked={explorer.values.isShown()}
            onChange={() => explorer.values.toggle()}
          /> Piece values
        </label>
        <button
          type="button"
          class="plain"
          aria-label="Refresh"
          title="Ask the server again"
          onClick={() => explorer.refresh()}
        ><Icon name="refresh" /></button>
      </div>
      <Show when={explorer.tablebase.isShown()}>
        <TablebasePart
          tablebase={explorer.tablebase}
          isFailureShown={explorer.problem() !== null}
          onPlay={(moves) => tree.playLine(moves)}
          onPoint={point}
        />
      </Show>
      <p class="this-position"><b>This position</b> <span>{summary()}</span></p>
      <Show when={note()}><p class="explore-note" role="alert">{note()}</p></Show>
      <Show when={explorer.values.isShown()}>
        <PieceValues values={explorer.values} />
      </Show>
      <Show when={explorer.tablebase.isFirst() ? null : shown()}>
        {(answer) => (
          <>
            <Show when={rows().length > 0} fallback={<NoMoves answer={answer().answer} />}>
              <KnownMoves
                line={answer().key}
                rows={drawnRows()}
                age={age}
                onPlay={play}
                onPoint={point}
                onToggle={explorer.toggleAhead}
              />
            </Show>
            <Show when={!explorer.isKnownOnly() && drawnUnknown().length > 0}>
              <h3>Not in the memory</h3>
              <ul class="unknown-moves" onPointerLeave={() => point(null)}>
                <Index each={drawnUnknown()}>
                  {(move) => (
                    <li>
                      <button
                        type="button"
                        class="plain"
                        onClick={() => play([move().uci])}
                        onPointerOver={() => point([move().uci])}
                        onFocus={() => point([move().uci])}
                        onBlur={() => point(null)}
                      >{move().san}</button>
                    </li>
                  )}
                </Index>
              </ul>
            </Show>
          </>
        )}
      </Show>
    </div>
  );
}

function NoMoves(props: { answer: Explored }) {
  return (
    <p class="hint">
      <Show
        when={props.answer.moves}
        fallback="The game is over here: there is no legal move. Step back to see moves."
      >
        The server remembers the result of every search. It has none after this position yet.
        Play a move and let the engine search, or review a game: what was searched appears here.
      </Show>
    </p>
  );
}
