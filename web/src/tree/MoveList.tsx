/** The moves of the tree: the main line in rows, variations and comments between them. */
import { createEffect, createMemo, createSelector, createSignal, For, Match, on, Show, Switch }
  from "solid-js";
import { late } from "../ui/late";
import { sanText } from "../ui/san";
import type { Settings } from "../ui/settings";
import { useShortcuts } from "../ui/shortcuts";
import { mainCells, type Cell } from "./layout";
import { Interrupt, MoveButton, type ListContext } from "./MoveText";
import type { MenuPlace } from "./MoveMenu";
import { hasMove, useTreeKeys } from "./keys";
import { onLongPress } from "./long-press";
import { ROOT, type NodeId } from "./node";
import type { TreeStore } from "./store";
import "./move-list.css";

const ForkChooser = late(async () => (await import("./extras")).ForkChooser);
const GameResult = late(async () => (await import("./extras")).GameResult);
const MoveMenu = late(async () => (await import("./extras")).MoveMenu);
const NoteEditor = late(async () => (await import("./extras")).NoteEditor);

const sameCells = (a: readonly Cell[], b: readonly Cell[]) =>
  a.length === b.length && a.every((cell, index) => cell === b[index]);

/** The node of the button that an event comes from. */
const moveAt = (target: EventTarget | null): NodeId | null => {
  const button = (target as Element | null)?.closest<HTMLElement>("[data-move]");
  return button ? Number(button.dataset["move"]) : null;
};

interface Props {
  tree: TreeStore;
  notation: Settings["notation"];
  nags: ListContext["nags"];
}

export function MoveList(props: Props) {
  const store = props.tree;
  let list!: HTMLDivElement;
  const [menu, setMenu] = createSignal<MenuPlace | null>(null);
  const cells = createMemo(() => mainCells(store.tree()), [], { equals: sameCells });
  const isCurrent = createSelector(() => store.current().id);
  const isTabStop = createSelector(() => {
    const { id, children } = store.current();
    return id === ROOT ? (children[0] ?? ROOT) : id;
  });
  const context: ListContext = {
    store, isCurrent, isTabStop, shown: (san) => sanText(san, props.notation),
    nags: props.nags,
  };

  const button = (id: NodeId) => list.querySelector<HTMLElement>(`[data-move="${id}"]`);
  const openMenu = (id: NodeId, at: MenuPlace["at"], isGlyphs = false) => {
    store.show(id);
    setMenu({ id, at, isGlyphs });
  };
  /** Opens the menu of a move below its button in the list. */
  const openBelow = (id: NodeId, isGlyphs = false) => {
    if (!hasMove(store)) return;
    const { left, bottom } = (button(id) ?? list).getBoundingClientRect();
    openMenu(id, { x: left, y: bottom }, isGlyphs);
  };
  const closeMenu = (reason: "chosen" | "escape" | "left") => {
    const id = menu()?.id;
    setMenu(null);
    if (reason !== "left" && id !== undefined) button(id)?.focus({ preventScroll: true });
  };

  createEffect(on(() => store.current().id, (id) => {
    const shown = button(id);
    // Not scrollIntoView, which would scroll the page, too.
    if (!shown) list.scrollTop = 0;
    else {
      const { top, bottom } = shown.getBoundingClientRect();
      const frame = list.getBoundingClientRect();
      if (top < frame.top || bottom > frame.bottom) {
        list.scrollTop += top - frame.top - list.clientHeight / 2;
      }
    }
    if (list.contains(document.activeElement)) shown?.focus({ preventScroll: true });
  }));
  useTreeKeys(store, openBelow);
  useShortcuts([{
    keys: ["Shift+F10", "ContextMenu"], label: "Menu of the shown move", group: "Moves",
    run: () => openBelow(store.current().id),
  }]);

  return (
    <section class="panel moves" aria-label="Moves">
      <div
        class="move-list"
        ref={(element) => {
          list = element;
          onLongPress(element, ({ target, clientX: x, clientY: y }) => {
            const id = moveAt(target);
            if (id !== null) openMenu(id, { x, y });
          });
        }}
        onClick={({ target }) => {
          const id = moveAt(target);
          if (id !== null) store.show(id);
        }}
        onContextMenu={(event) => {
          const id = moveAt(event.target);
          if (id === null) return;
          event.preventDefault();
          openMenu(id, { x: event.clientX, y: event.clientY });
        }}
      >
        <Show when={store.tree().nodes.size === 1}>
          <p class="hint">Play a move on the board: drag a piece, or click it and then its target.
            Or open a game with “Game” above.</p>
        </Show>
        <For each={cells()}>{(cell) => <CellView cell={cell} context={context} />}</For>
        <GameResult tree={store} />
      </div>
      <ForkChooser tree={store} shown={context.shown} />
      <NoteEditor tree={store} onMenu={(at) => openMenu(store.current().id, at)} />
      <Show when={menu()} keyed>
        {(place) => <MoveMenu tree={store} place={place} onClose={closeMenu} />}
      </Show>
    </section>
  );
}

function CellView(props: { cell: Cell; context: ListContext }) {
  const kind = props.cell[0];
  const id = Number(props.cell.slice(1));
  return (
    <Switch>
      <Match when={kind === "n"}>
        <span class="number">{Math.ceil(props.context.store.node(id).ply / 2)}</span>
      </Match>
      <Match when={kind === "m"}><MoveButton id={id} context={props.context} isMain /></Match>
      <Match when={kind === "b"}><span class="blank" aria-hidden="true">…</span></Match>
      <Match when={kind === "x"}><Interrupt id={id} context={props.context} /></Match>
    </Switch>
  );
}
