/** Parts around the board, loaded after the first paint: players, material, the wheel. */
import type { Chess } from "chessops/chess";
import type { Color } from "chessops/types";
import { onCleanup, onMount } from "solid-js";
import type { TreeStore } from "../tree/store";
import { repeatHeldButtons } from "../ui/held-buttons";
import { Players } from "./Players";
import { stepByWheel } from "./wheel-steps";

interface Props {
  tree: TreeStore;
  position: Chess;
  orientation: Color;
}

/** Takes the focus from a button, which would take Space and Enter from the board. */
function leaveButton() {
  const focused = document.activeElement;
  if (focused instanceof HTMLButtonElement) focused.blur();
}

export function AroundBoard(props: Props) {
  onMount(() => {
    const board = document.querySelector<HTMLElement>(".page > .board");
    if (board) {
      onCleanup(stepByWheel(board, props.tree));
      board.addEventListener("pointerdown", leaveButton);
    }
    onCleanup(repeatHeldButtons());
  });
  return <Players {...props} />;
}
