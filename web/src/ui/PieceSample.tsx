/** Two pieces of a set, on two squares of the chosen board. */
import { For } from "solid-js";
import flatKing from "/pieces/flat/bK.svg?inline";
import flatKnight from "/pieces/flat/wN.svg?inline";
import letterKing from "/pieces/letters/bK.svg?inline";
import letterKnight from "/pieces/letters/wN.svg?inline";
import shapeKing from "/pieces/shapes/bK.svg?inline";
import shapeKnight from "/pieces/shapes/wN.svg?inline";
import type { PieceSet } from "./pieces";

const PIECES = ["knight white", "king black"] as const;

/** The drawings of the two pieces. The first style sheet has those of the classic set. */
const DRAWINGS: Readonly<Partial<Record<PieceSet, readonly [string, string]>>> = {
  flat: [flatKnight, flatKing],
  shapes: [shapeKnight, shapeKing],
  letters: [letterKnight, letterKing],
};

export function PieceSample(props: { set: PieceSet }) {
  const styleOf = (index: number) => {
    const drawing = DRAWINGS[props.set]?.[index];
    return drawing ? { "background-image": `url("${drawing}")` } : {};
  };
  return (
    <span class="cg-wrap sample" aria-hidden="true">
      <For each={PIECES}>
        {(piece, index) => <piece class={piece} style={styleOf(index())} />}
      </For>
    </span>
  );
}
