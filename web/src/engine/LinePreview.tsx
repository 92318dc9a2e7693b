/** A small board beside a move of a line: the position after it. */
import { Chessground } from "@lichess-org/chessground";
import type { Api } from "@lichess-org/chessground/api";
import type { Key } from "@lichess-org/chessground/types";
import { makeFen } from "chessops/fen";
import type { Color } from "chessops/types";
import { createEffect, onCleanup, onMount } from "solid-js";
import { squaresOf } from "../board/move-squares";
import { legalMove, positionOf } from "../tree/tree";

const SIZE = 216;
const GAP = 6;

interface Props {
  fen: string;
  /** The moves up to the shown position. */
  moves: readonly string[];
  /** The left edge of the move on the screen, and the lines, which are not to be covered. */
  near: { readonly left: number; readonly top: number; readonly bottom: number };
  orientation: Color;
}

export default function LinePreview(props: Props) {
  let element!: HTMLDivElement;
  let board: Api | undefined;
  const position = () => {
    const after = positionOf(props.fen);
    for (const uci of props.moves) {
      const move = legalMove(after, uci);
      if (!move) break;
      after.play(move);
    }
    return after;
  };
  const config = () => {
    const shown = position();
    return {
      fen: makeFen(shown.toSetup()), orientation: props.orientation, check: shown.isCheck(),
      turnColor: shown.turn, lastMove: squaresOf(props.moves.at(-1) ?? null) as Key[],
    };
  };
  onMount(() => {
    board = Chessground(element, {
      viewOnly: true, coordinates: false, animation: { enabled: false },
      drawable: { enabled: false, visible: false }, ...config(),
    });
    createEffect(() => board?.set(config()));
  });
  onCleanup(() => board?.destroy());
  const place = () => {
    const { left, top, bottom } = props.near;
    const isBelow = bottom + GAP + SIZE < innerHeight;
    return {
      left: `${Math.max(Math.min(left, innerWidth - SIZE - GAP), GAP)}px`,
      top: `${isBelow ? bottom + GAP : Math.max(top - GAP - SIZE, GAP)}px`,
      width: `${SIZE}px`, height: `${SIZE}px`,
    };
  };
  return (
    <div class="line-preview" style={place()} aria-hidden="true">
      <div class="cg-wrap" ref={element} />
    </div>
  );
}
