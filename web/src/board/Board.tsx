/** The board: chessground in a component, with legal targets and the promotion chooser. */
import { Chessground } from "@lichess-org/chessground";
import type { Api } from "@lichess-org/chessground/api";
import type { Config } from "@lichess-org/chessground/config";
import type { Key } from "@lichess-org/chessground/types";
import type { Chess } from "chessops/chess";
import { chessgroundDests } from "chessops/compat";
import type { Color } from "chessops/types";
import { parseSquare } from "chessops/util";
import { createEffect, createSignal, onCleanup, onMount, Show } from "solid-js";
import type { Overlays } from "./overlays";
import { PromotionChooser, type PromotionRole } from "./PromotionChooser";
import { squaresOf } from "./move-squares";
import "@lichess-org/chessground/assets/chessground.base.css";
import "@lichess-org/chessground/assets/chessground.cburnett.css";
import "./board.css";

export { squaresOf };

interface Props {
  fen: string;
  position: Chess;
  lastMove: string | null;
  orientation: Color;
  coordinates: boolean;
  animation: boolean;
  overlays: Overlays;
  /** Called with a legal move in UCI. */
  onMove(uci: string): void;
}

const PROMOTION_LETTERS: Record<PromotionRole, string> = {
  queen: "q", rook: "r", bishop: "b", knight: "n",
};

const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;

export function Board(props: Props) {
  let element!: HTMLDivElement;
  let board: Api | undefined;
  const [promotion, setPromotion] = createSignal<{ from: Key; to: Key } | null>(null);

  const config = (): Config => {
    const { position, orientation } = props;
    return {
      fen: props.fen,
      orientation,
      turnColor: position.turn,
      check: position.isCheck(),
      lastMove: squaresOf(props.lastMove),
      coordinates: props.coordinates,
      animation: { enabled: props.animation && !isStill, duration: 150 },
      highlight: { lastMove: true, check: true },
      movable: {
        free: false,
        color: position.turn,
        dests: chessgroundDests(position) as Map<Key, Key[]>,
        showDests: true,
        events: { after: played },
      },
    };
  };

  function played(from: Key, to: Key) {
    const isPawn = props.position.board.pawn.has(parseSquare(from as never)!);
    if (isPawn && (to.endsWith("8") || to.endsWith("1"))) setPromotion({ from, to });
    else props.onMove(from + to);
  }

  function choose(role: PromotionRole | null) {
    const move = promotion();
    setPromotion(null);
    if (move && role) props.onMove(move.from + move.to + PROMOTION_LETTERS[role]);
    // The pawn stands on its target already: back to the position of the tree.
    else board?.set(config());
  }

  onMount(() => {
    board = Chessground(element, {
      ...config(),
      premovable: { enabled: false },
      draggable: { showGhost: true },
    });
    createEffect(() => {
      board?.set(config());
      setPromotion(null);
    });
    createEffect(() => board?.setAutoShapes([...props.overlays.shapes()]));
    createEffect(() => board?.set({ highlight: { custom: new Map(props.overlays.squares()) } }));
  });
  onCleanup(() => board?.destroy());

  return (
    <div class="board">
      <div class="cg-wrap" ref={element} />
      <Show when={promotion()}>
        {(move) => (
          <PromotionChooser
            color={props.position.turn}
            file={move().to.charCodeAt(0) - "a".charCodeAt(0)}
            orientation={props.orientation}
            onChoose={choose}
          />
        )}
      </Show>
    </div>
  );
}
