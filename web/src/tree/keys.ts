/** The keys of the tree beyond stepping: variations, glyphs and comments. */
import { onCleanup } from "solid-js";
import { useShortcuts } from "../ui/shortcuts";
import { toast } from "../ui/toasts";
import { MOVE_GLYPHS, toggleGlyph } from "./notes";
import type { NodeId } from "./node";
import type { TreeStore } from "./store";

export function useTreeKeys(
  store: TreeStore,
  openMenu: (id: NodeId, isGlyphs: boolean) => void,
): void {
  useShortcuts([
    {
      keys: ["Shift+ArrowLeft"], label: "Leave the variation", group: "Moves",
      run: store.leaveVariation,
    },
    {
      keys: ["Shift+ArrowRight"], label: "Enter the variation", group: "Moves",
      run: store.enterVariation,
    },
    { keys: ["c"], label: "Comment on the shown move", group: "Moves", run: focusComment },
    {
      keys: ["g"], label: "Choose a glyph of the shown move", group: "Moves",
      run: () => openMenu(store.current().id, true),
    },
    ...MOVE_GLYPHS.map(({ nag, symbol, name }) => ({
      keys: [String(nag)], label: `${symbol} ${name}`, group: "Moves" as const,
      run: () => setGlyph(store, nag),
    })),
  ]);
}

/** Whether a move is shown. A toast says so if it is the start position. */
export function hasMove(store: TreeStore): boolean {
  const { san } = store.current();
  if (san === null) toast("The start position takes no glyph.");
  return san !== null;
}

/** Adds a glyph to the shown move, or removes it. */
export function setGlyph(store: TreeStore, nag: number): void {
  const { id, nags } = store.current();
  if (hasMove(store)) store.annotate(id, { nags: toggleGlyph(nags, nag) });
}

let field: HTMLTextAreaElement | null = null;

/** The field that the key of comments goes to. */
export function useCommentField(element: HTMLTextAreaElement): void {
  field = element;
  onCleanup(() => {
    if (field === element) field = null;
  });
}

export const focusComment = () => field?.focus();
