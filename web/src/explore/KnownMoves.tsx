/**
 * The known moves, the best first, as a tree: Enter, Space or a click plays a move, the arrow keys
 * step from row to row and show the moves after one.
 */
import { createEffect, createMemo, createSignal, Index, on, Show } from "solid-js";
import { Read } from "./Read";
import { rowAfter } from "./row-keys";
import type { Row } from "./rows";

interface Props {
  /** Names the position: another one starts at the first row. */
  line: string;
  rows: readonly Row[];
  age(ms: number, at: number): string;
  onPlay(moves: readonly string[]): void;
  onPoint(moves: readonly string[] | null): void;
  onToggle(moves: readonly string[]): void;
}

const nameOf = ({ moves, hint }: Row) => [...moves, hint ?? ""].join(" ");

export function KnownMoves(props: Props) {
  let list!: HTMLUListElement;
  /** The row that the keys are at, by its moves: others may come before it. */
  const [active, setActive] = createSignal<string | null>(null);
  const activeIndex = createMemo(() =>
    Math.max(props.rows.findIndex((row) => nameOf(row) === active()), 0));
  const focus = (index: number) =>
    list.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus();
  const rowAt = (target: EventTarget | null): number => {
    const item = target instanceof Element ? target.closest("[role=treeitem]") : null;
    return item ? Number((item as HTMLElement).dataset["row"]) : -1;
  };
  const point = (target: EventTarget | null) => {
    const row = props.rows[rowAt(target)];
    props.onPoint(row && !row.hint ? row.moves : null);
  };
  const line = createMemo(() => props.line);
  createEffect(on(line, () => setActive(null), { defer: true }));
  createEffect(on([() => props.rows, activeIndex], ([, index]) => {
    if (list.contains(document.activeElement)) focus(index);
  }, { defer: true }));

  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const at = rowAt(event.target);
    const row = props.rows[at];
    if (!row) return;
    const next = rowAfter(event.key, at, props.rows.length - 1);
    const play = () => {
      if (row.hint) return;
      props.onPlay(row.moves);
      // The next position may have no row here.
      focus(0);
    };
    const actions: Record<string, (() => void) | undefined> = {
      Enter: play,
      " ": play,
      // Where there is nothing to open or close, the keys step through the game as elsewhere.
      ArrowRight: row.isExpanded === false ? () => props.onToggle(row.moves) : undefined,
      ArrowLeft: row.isExpanded ? () => props.onToggle(row.moves) : undefined,
    };
    const action = next === null ? actions[event.key] : () => focus(next);
    if (!action) return;
    event.preventDefault();
    action();
  };
  const onClick = (event: MouseEvent) => {
    const row = props.rows[rowAt(event.target)];
    if (!row || row.hint) return;
    const isToggle = event.target instanceof Element && event.target.closest(".twisty") !== null;
    if (isToggle && row.isExpanded !== null) props.onToggle(row.moves);
    else props.onPlay(row.moves);
  };
  return (
    <div class="known-moves">
      <div class="known-head" aria-hidden="true">
        <span /><span>Move</span><span>Score</span><span>Depth</span><span>Searched</span>
      </div>
      <ul
        role="tree"
        aria-label="Known moves, the best first"
        ref={list}
        on:keydown={onKey}
        onClick={onClick}
        onPointerOver={(event) => point(event.target)}
        onPointerLeave={() => props.onPoint(null)}
        onFocusIn={(event) => {
          const row = props.rows[rowAt(event.target)];
          if (row) setActive(nameOf(row));
          point(event.target);
        }}
        onFocusOut={() => props.onPoint(null)}
      >
        <Index each={props.rows}>
          {(row, index) => (
            <li
              role="treeitem"
              class="known-move"
              data-row={index}
              data-moves={row().moves.join(" ")}
              aria-level={row().level}
              aria-expanded={row().isExpanded ?? undefined}
              tabindex={index === activeIndex() ? 0 : -1}
            >
              <span class="twisty" aria-hidden="true">
                {row().isExpanded === null ? "" : row().isExpanded ? "▾" : "▸"}
              </span>
              <Show when={!row().hint} fallback={<span class="row-hint">{row().hint}</span>}>
                <span class="san">{row().san}</span>
                <Read text=", " />
                <span class="row-score">{row().score}</span>
                <Read text={row().depth ? ", depth " : " "} />
                <span>{row().depth || row().end}</span>
                <Read text=", " />
                <span>{row().ageMs === null ? "" : props.age(row().ageMs!, row().at)}</span>
              </Show>
            </li>
          )}
        </Index>
      </ul>
    </div>
  );
}
