/** A group of bits, bytes or entries: one stop of the Tab key, with arrow keys inside. */
import { createSignal, createUniqueId, Index, Show } from "solid-js";
import { useInspect } from "./context";
import { MiniBoard } from "./MiniBoard";
import type { Item } from "./selection";

interface Props {
  label: string;
  items: readonly Item[];
  /** A class name: `squares`, `flow`, `table`, `fields`, `cards`, `strip`. */
  layout: string;
  /** False where a choice means something else, and pointing alone marks squares. */
  choosesSquares?: boolean;
  /** The chosen items, where a choice means more than its squares. */
  isChosen?(index: number): boolean;
  onChoose?(index: number): void;
}

/** The item in the line above or below, nearest to this one. */
function neighbour(options: readonly HTMLElement[], at: number, isDown: boolean): number {
  const from = options[at];
  if (!from) return at;
  const middle = (option: HTMLElement) => option.offsetLeft + option.offsetWidth / 2;
  const others = options.map((option, index) => ({ option, index })).filter(({ option }) =>
    isDown ? option.offsetTop >= from.offsetTop + from.offsetHeight
      : option.offsetTop + option.offsetHeight <= from.offsetTop);
  const line = isDown ? others[0] : others.at(-1);
  if (!line) return at;
  const distance = (option: HTMLElement) => Math.abs(middle(option) - middle(from));
  const near = others.filter(({ option }) => option.offsetTop === line.option.offsetTop);
  return near.reduce((best, other) =>
    (distance(other.option) < distance(best.option) ? other : best)).index;
}

export function Cells(props: Props) {
  const { selection } = useInspect();
  const id = createUniqueId();
  const [active, setActive] = createSignal(0);
  const [isFocused, setFocused] = createSignal(false);
  let group!: HTMLDivElement;
  const last = () => props.items.length - 1;
  const at = () => Math.min(active(), last());
  const options = () => [...group.querySelectorAll<HTMLElement>("[role=option]")];

  const point = (index: number | null) =>
    selection.point(index === null ? null : (props.items[index] ?? null));
  const choose = (index: number) => {
    const item = props.items[index];
    if (!item) return;
    if (item.squares.length && props.choosesSquares !== false) selection.choose(item.squares);
    props.onChoose?.(index);
  };
  const goTo = (index: number) => {
    setActive(Math.max(0, Math.min(index, last())));
    point(at());
    options()[at()]?.scrollIntoView({ block: "nearest" });
  };
  const indexOf = (event: Event): number | null => {
    const option = (event.target as Element).closest("[role=option]");
    return option ? options().indexOf(option as HTMLElement) : null;
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions: Record<string, () => void> = {
      ArrowRight: () => goTo(at() + 1), ArrowLeft: () => goTo(at() - 1),
      ArrowDown: () => goTo(neighbour(options(), at(), true)),
      ArrowUp: () => goTo(neighbour(options(), at(), false)),
      Home: () => goTo(0), End: () => goTo(last()),
      Enter: () => choose(at()), " ": () => choose(at()),
      Escape: () => selection.choose([]),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  return (
    <div
      class={`cells ${props.layout}`}
      ref={group}
      role="listbox"
      aria-label={props.label}
      tabindex={0}
      aria-activedescendant={isFocused() && props.items.length ? `${id}-${at()}` : undefined}
      on:keydown={onKey}
      // The mouse leaves the focus where it is, so that the keys of the game go on working.
      on:mousedown={(event) => event.preventDefault()}
      onFocusIn={() => {
        setFocused(true);
        point(at());
      }}
      onFocusOut={() => {
        setFocused(false);
        point(null);
      }}
      onPointerOver={(event) => point(indexOf(event))}
      onPointerLeave={() => point(null)}
      onClick={(event) => {
        const index = indexOf(event);
        if (index === null) return;
        setActive(index);
        choose(index);
      }}
    >
      <Index each={props.items}>
        {(item, index) => (
          <div
            role="option"
            id={`${id}-${index}`}
            data-kind={item().kind}
            classList={{
              marked: selection.isMarked(item().squares),
              active: isFocused() && at() === index,
            }}
            aria-label={item().label}
            aria-selected={
              props.isChosen?.(index) ?? item().squares.some((s) => selection.chosen().includes(s))
            }
          >
            <Show when={item().hex}>{(hex) => <MiniBoard hex={hex()} />}</Show>
            <Index each={[item().text].flat()}>{(part) => <> <span>{part()}</span></>}</Index>
          </div>
        )}
      </Index>
    </div>
  );
}
