/** The menu of a move: its place in the tree, its comment and its glyphs. */
import { createSignal, For } from "solid-js";
import { CommandList, type Command } from "../ui/CommandList";
import { copyText } from "../ui/clipboard";
import { withPart } from "../ui/part";
import { focusComment, setGlyph } from "./keys";
import { moveText } from "./notation";
import { MOVE_GLYPHS, OTHER_GLYPHS, POSITION_GLYPHS, type Glyph } from "./notes";
import type { NodeId } from "./node";
import type { TreeStore } from "./store";
import { demotable, variationOf } from "./tree";

/** Where a menu is open. */
export interface MenuPlace {
  readonly id: NodeId;
  readonly at: { readonly x: number; readonly y: number };
  /** Whether the focus begins at the glyphs. */
  readonly isGlyphs: boolean;
}

interface Props {
  tree: TreeStore;
  place: MenuPlace;
  onClose(reason: "chosen" | "escape" | "left"): void;
}

/** The distance to the edge of the window. */
const MARGIN_PX = 4;

export function MoveMenu(props: Props) {
  const store = props.tree;
  const { id, at, isGlyphs } = props.place;
  const [corner, setCorner] = createSignal(at);
  const onOpen = (list: HTMLElement) => {
    const { width, height } = list.getBoundingClientRect();
    const x = Math.min(at.x, innerWidth - width - MARGIN_PX);
    const y = at.y + height > innerHeight ? at.y - height : at.y;
    setCorner({ x: Math.max(x, MARGIN_PX), y: Math.max(y, MARGIN_PX) });
    if (isGlyphs) list.querySelector<HTMLElement>(".glyphs button")?.focus();
  };
  const isInMainLine = () => variationOf(store.tree(), id) === null;
  const commands = (): Command[] => [
    { label: "Make main line", isDisabled: isInMainLine(), run: () => store.makeMainLine(id) },
    { label: "Promote variation", isDisabled: isInMainLine(), run: () => store.promote(id) },
    {
      label: "Demote line", isDisabled: demotable(store.tree(), id) === null,
      run: () => store.demote(id),
    },
    { label: "Comment…", key: "c", run: focusComment },
    { label: "Copy line as PGN", run: () => void copyLine() },
    { label: "Delete from here", run: () => store.remove(id) },
  ];
  const copyLine = () => withPart(
    "The code for PGN",
    () => import("./pgn-write"),
    ({ writeLine }) => copyText(writeLine(store.tree(), id), "The line was copied as PGN."),
  );
  return (
    <CommandList
      label={`Menu of ${moveText(store.node(id))}`}
      commands={store.node(id).san === null ? [] : commands()}
      style={{ position: "fixed", inset: `${corner().y}px auto auto ${corner().x}px` }}
      onOpen={onOpen}
      onClose={props.onClose}
    >
      <For each={[MOVE_GLYPHS, POSITION_GLYPHS, OTHER_GLYPHS]}>
        {(glyphs) => <Glyphs tree={store} glyphs={glyphs} />}
      </For>
    </CommandList>
  );
}

function Glyphs(props: { tree: TreeStore; glyphs: readonly Glyph[] }) {
  return (
    <div class="glyphs" role="group">
      <For each={props.glyphs}>
        {({ nag, symbol, name }) => (
          <button
            type="button"
            role="menuitemcheckbox"
            aria-checked={props.tree.current().nags.includes(nag)}
            aria-label={name}
            title={nag <= 6 ? `${name} (${nag})` : name}
            onClick={() => setGlyph(props.tree, nag)}
          >{symbol}</button>
        )}
      </For>
    </div>
  );
}
