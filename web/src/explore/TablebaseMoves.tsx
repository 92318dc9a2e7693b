/**
 * The moves of a position by tablebase, the best first: Enter, Space or a click plays a move, the
 * arrow keys step from row to row.
 */
import { createEffect, createMemo, createSignal, Index, on } from "solid-js";
import { Read } from "./Read";
import { rowAfter } from "./row-keys";
import { DISTANCE_NOTE, type Item, type MoveItem } from "./tablebase-texts";

interface Props {
  items: readonly Item[];
  onPlay(uci: string): void;
  onPoint(uci: string | null): void;
}

const isMove = (item: Item): item is MoveItem => "move" in item;

export function TablebaseMoves(props: Props) {
  let list!: HTMLUListElement;
  const moves = createMemo(() => props.items.filter(isMove).map(({ move }) => move.uci));
  /** The move that the keys are at. Another position starts at the first one. */
  const [active, setActive] = createSignal<string | null>(null);
  const activeMove = createMemo(() =>
    (moves().includes(active() ?? "") ? active() : moves()[0] ?? null));
  const focus = (row: number) =>
    list.querySelector<HTMLElement>(`[data-move="${moves()[row]}"]`)?.focus();
  const moveAt = (target: EventTarget | null): string | null => {
    const item = target instanceof Element ? target.closest<HTMLElement>("[data-move]") : null;
    return item?.dataset["move"] ?? null;
  };
  createEffect(on(moves, () => {
    if (list.contains(document.activeElement)) focus(moves().indexOf(activeMove() ?? ""));
  }, { defer: true }));

  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const uci = moveAt(event.target);
    if (uci === null) return;
    const next = rowAfter(event.key, moves().indexOf(uci), moves().length - 1);
    if (next === null && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    // After a move, the next position may have no row here.
    focus(next ?? 0);
    if (next === null) {
      setActive(null);
      props.onPlay(uci);
    }
  };
  return (
    <>
      <div class="known-head" aria-hidden="true">
        <span /><span>Move</span><span title={DISTANCE_NOTE}>DTZ</span><span />
      </div>
      <ul
        role="listbox"
        class="tablebase-moves"
        aria-label="Moves by tablebase, the best first"
        ref={list}
        on:keydown={onKey}
        onClick={(event) => {
          const uci = moveAt(event.target);
          if (uci !== null) props.onPlay(uci);
        }}
        onPointerOver={(event) => props.onPoint(moveAt(event.target))}
        onPointerLeave={() => props.onPoint(null)}
        onFocusIn={(event) => {
          const uci = moveAt(event.target);
          if (uci !== null) setActive(uci);
          props.onPoint(uci);
        }}
        onFocusOut={() => props.onPoint(null)}
      >
        <Index each={props.items}>
          {(item) => <ItemRow item={item()} isActive={activeMove() === uciOf(item())} />}
        </Index>
      </ul>
    </>
  );
}

const uciOf = (item: Item) => (isMove(item) ? item.move.uci : undefined);

/** A move or a heading in one element, so that the focus stays while the moves change. */
function ItemRow(props: { item: Item; isActive: boolean }) {
  const move = () => (isMove(props.item) ? props.item : null);
  const heading = () => (isMove(props.item) ? null : props.item);
  return (
    <li
      role={move() ? "option" : "presentation"}
      aria-hidden={move() ? undefined : "true"}
      class={move() ? "known-move" : `tablebase-heading ${heading()!.result}`}
      title={heading()?.note}
      data-move={uciOf(props.item)}
      tabindex={move() ? (props.isActive ? 0 : -1) : undefined}
    >
      {move()
        ? <>
          <span />
          <span class="san">{move()!.move.san}</span>
          <Read text={`, ${move()!.outcome}, ${move()!.distance ? "distance " : ""}`} />
          <span>{move()!.distance}</span>
          <Read text={move()!.distance && move()!.mark ? ", " : ""} />
          <span class="mark">{move()!.mark}</span>
        </>
        : heading()!.heading}
    </li>
  );
}
