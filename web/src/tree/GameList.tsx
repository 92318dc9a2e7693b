/** The list of a file's games: a filter, rows that exist only while they are seen, and errors. */
import { createEffect, createMemo, createSignal, For, onCleanup, onMount, Show } from "solid-js";
import { checkGames } from "./check-games";
import { gameDetails, gameName } from "./game-name";
import { readGame } from "./open";
import type { GameText } from "./pgn-scan";
import type { Tree } from "./tree";

interface Props {
  games: readonly GameText[];
  /** Called with what could be read of a game, and with sentences about the rest. */
  onOpen(tree: Tree, problems: readonly string[]): void;
}

/** The height of a row, as in the style sheet. */
const ROW_PX = 44;
const ROWS_SHOWN = 9;
/** Rows above and below the seen ones that exist, too. */
const SPARE_ROWS = 4;

/** All that the filter looks at. */
const searchText = ({ tags }: GameText) =>
  ["White", "Black", "Event", "Site", "Date", "Result", "ECO", "Opening"]
    .map((name) => tags.get(name) ?? "").join(" ").toLowerCase();

const count = (number: number, one: string, many: string) =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

export function GameList(props: Props) {
  const [filter, setFilter] = createSignal("");
  const [chosen, setChosen] = createSignal(0);
  const [top, setTop] = createSignal(0);
  const { problems, checked, stop } = checkGames(props.games);
  onCleanup(stop);
  let field!: HTMLInputElement;
  let frame!: HTMLDivElement;
  onMount(() => field.focus());

  const texts = createMemo(() => props.games.map(searchText));
  const found = createMemo(() => {
    const words = filter().toLowerCase().split(/\s+/).filter(Boolean);
    const all = [...props.games.keys()];
    return all.filter((index) => words.every((word) => texts()[index]?.includes(word)));
  });
  const seen = createMemo(() => {
    const first = Math.max(0, Math.floor(top() / ROW_PX) - SPARE_ROWS);
    return found().slice(first, first + ROWS_SHOWN + 2 * SPARE_ROWS)
      .map((game, offset) => ({ game, row: first + offset }));
  });
  const chosenGame = () => found()[chosen()];
  createEffect(() => {
    found();
    setChosen(0);
    frame.scrollTop = 0;
  });
  const choose = (row: number) => {
    const next = Math.min(Math.max(row, 0), found().length - 1);
    setChosen(next);
    const y = next * ROW_PX;
    if (y < frame.scrollTop) frame.scrollTop = y;
    else if (y + ROW_PX > frame.scrollTop + frame.clientHeight) {
      frame.scrollTop = y + ROW_PX - frame.clientHeight;
    }
    setTop(frame.scrollTop);
  };
  const [refused, setRefused] = createSignal<{ game: number; problem: string } | null>(null);
  let isGone = false;
  onCleanup(() => { isGone = true; });
  const open = async (index: number | undefined) => {
    const game = index === undefined ? undefined : props.games[index];
    if (index === undefined || !game) return;
    const { tree, problems: wrong } = await readGame(game);
    if (isGone) return;
    if (tree) props.onOpen(tree, wrong);
    else setRefused({ game: index, problem: wrong.join(" ") });
  };
  const steps: Record<string, () => void> = {
    ArrowDown: () => choose(chosen() + 1),
    ArrowUp: () => choose(chosen() - 1),
    PageDown: () => choose(chosen() + ROWS_SHOWN - 1),
    PageUp: () => choose(chosen() - ROWS_SHOWN + 1),
    Enter: () => void open(chosenGame()),
  };
  const status = () => {
    const isFiltered = found().length < props.games.length;
    const shown = isFiltered ? `${found().length.toLocaleString("en")} of ` : "";
    const bad = problems().size;
    const isDone = checked() === props.games.length;
    return `${shown}${count(props.games.length, "game", "games")}`
      + (bad > 0 ? `, ${count(bad, "has errors", "have errors")}` : "")
      + (isDone ? "." : `. ${Math.floor((checked() / props.games.length) * 100)}% checked.`);
  };
  const problemOf = (index: number | undefined) => {
    if (index === undefined) return undefined;
    const now = refused();
    return problems().get(index) ?? (now?.game === index ? now.problem : undefined);
  };
  return (
    <div class="game-list">
      <input
        type="search"
        role="combobox"
        ref={field}
        aria-label="Filter by player, event, date or result"
        placeholder="Filter by player, event, date or result"
        aria-expanded="true"
        aria-controls="games"
        aria-activedescendant={chosenGame() === undefined ? undefined : `game-${chosenGame()}`}
        autocomplete="off"
        onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        onKeyDown={(event) => {
          const step = steps[event.key];
          if (!step) return;
          event.preventDefault();
          step();
        }}
      />
      <div class="games" tabindex={-1} ref={frame} onScroll={() => setTop(frame.scrollTop)}>
        <Show when={found().length === 0}>
          <p class="hint">No game has all these words. Clear the filter to see all.</p>
        </Show>
        <div
          class="all"
          id="games"
          role="listbox"
          aria-label="Games"
          style={{ height: `${found().length * ROW_PX}px` }}
        >
          <For each={seen()}>
            {({ game, row }) => (
              <Row
                game={props.games[game]!}
                index={game}
                row={row}
                size={found().length}
                isChosen={row === chosen()}
                problem={problemOf(game)}
                onOpen={() => {
                  choose(row);
                  void open(game);
                }}
              />
            )}
          </For>
        </div>
      </div>
      <p class="status-line" role="status">{status()}</p>
      <p class="problems" role="alert">{problemOf(chosenGame())}</p>
      <div class="row">
        <button type="button" class="main" onClick={() => void open(chosenGame())}>Open</button>
      </div>
    </div>
  );
}

interface RowProps {
  game: GameText;
  index: number;
  row: number;
  size: number;
  isChosen: boolean;
  problem: string | undefined;
  onOpen(): void;
}

function Row(props: RowProps) {
  const { tags, line } = props.game;
  return (
    <div
      class="game"
      classList={{ bad: props.problem !== undefined }}
      role="option"
      id={`game-${props.index}`}
      aria-selected={props.isChosen}
      aria-setsize={props.size}
      aria-posinset={props.row + 1}
      title={props.problem}
      style={{ top: `${props.row * ROW_PX}px` }}
      onClick={() => props.onOpen()}
    >
      <span class="number">{props.index + 1}</span>
      <span class="name">{gameName(tags) ?? `Game in line ${line}`}</span>
      <span class="result">{tags.get("Result") ?? ""}</span>
      <span class="details">{props.problem ?? gameDetails(tags)}</span>
    </div>
  );
}
