/** The board: chessground for the pointer, a grid of squares for keys, and what lies over both. */
import { Chessground } from "@lichess-org/chessground";
import type { Api } from "@lichess-org/chessground/api";
import type { Config } from "@lichess-org/chessground/config";
import type { Key } from "@lichess-org/chessground/types";
import type { Chess } from "chessops/chess";
import type { Color, Square } from "chessops/types";
import { makeSquare, parseSquare, squareFile } from "chessops/util";
import {
  createEffect, createMemo, createSignal, on, onCleanup, onMount, Show, untrack,
} from "solid-js";
import { late } from "../ui/late";
import { isMotionReduced } from "../ui/motion";
import { sameDrawings, toggled, type Drawing } from "./drawings";
import { clearMessage, tell } from "./message";
import { squaresOf } from "./move-squares";
import { isPromotion, targetsOf, uciOf } from "./moves";
import type { Overlays } from "./overlays";
import type { PromotionRole } from "./PromotionChooser";
import "@lichess-org/chessground/assets/chessground.base.css";
import "@lichess-org/chessground/assets/chessground.cburnett.css";
import "./board.css";
import "./players.css";

const PlayGrid = late(async () => (await import("./extras")).PlayGrid);
const PromotionChooser = late(async () => (await import("./extras")).PromotionChooser);

interface Props {
  fen: string;
  position: Chess;
  lastMove: string | null;
  orientation: Color;
  coordinates: boolean;
  animation: boolean;
  overlays: Overlays;
  /** The user's arrows and circles of the shown move. */
  drawings: readonly Drawing[];
  /** Called with a legal move in UCI. `false` if it was not played. */
  onMove(uci: string): boolean;
  /** Called with all drawings after one was made or all were erased. */
  onDraw(drawings: readonly Drawing[]): void;
}

const PROMOTION_LETTERS: Record<PromotionRole, string> = {
  queen: "q", rook: "r", bishop: "b", knight: "n",
};

const keyOf = (square: Square) => makeSquare(square) as Key;
const squareOf = (key: Key) => parseSquare(key as never)!;

function destsOf(position: Chess): Map<Key, Key[]> {
  const targets = [...targetsOf(position)];
  return new Map(targets.map(([from, to]) => [keyOf(from), to.map(keyOf)]));
}

export function Board(props: Props) {
  let element!: HTMLDivElement;
  let board: Api | undefined;
  const [promotion, setPromotion] = createSignal<{ from: Square; to: Square } | null>(null);
  const [preview, setPreview] = createSignal<Drawing | null>(null);

  // An edit of the tree that leaves the position as it is must not disturb a move in the making.
  const fen = createMemo(() => props.fen);
  const position = createMemo(() => {
    fen();
    return untrack(() => props.position);
  });
  const drawings = createMemo(() => props.drawings, undefined, { equals: sameDrawings });

  const config = (): Config => ({
    fen: fen(),
    orientation: props.orientation,
    turnColor: position().turn,
    check: position().isCheck(),
    lastMove: squaresOf(props.lastMove),
    animation: { enabled: props.animation && !isMotionReduced(), duration: 150 },
    highlight: { lastMove: true, check: true },
    movable: { free: false, color: position().turn, dests: destsOf(position()), showDests: true },
    // chessground adds to this list.
    drawable: { shapes: [...drawings()] },
  });

  function move(from: Square, to: Square) {
    if (isPromotion(position(), from, to)) setPromotion({ from, to });
    else if (!props.onMove(uciOf(position(), from, to))) board?.set(config());
  }

  function choose(role: PromotionRole | null) {
    const pawn = promotion();
    setPromotion(null);
    const uci = pawn && role && uciOf(position(), pawn.from, pawn.to) + PROMOTION_LETTERS[role];
    // The pawn stands on its target already: back to the position of the tree.
    if (!uci || !props.onMove(uci)) board?.set(config());
  }

  const draw = (changed: readonly Drawing[]) => {
    if (changed.length === 0 && drawings().length > 1) {
      tell("The drawings are erased. Ctrl+Z brings them back.");
    }
    props.onDraw(changed);
  };
  const select = (square: Square | null) => {
    board?.cancelMove();
    if (square !== null) board?.selectSquare(keyOf(square));
  };

  onMount(() => {
    board = Chessground(element, {
      ...untrack(config),
      coordinates: untrack(() => props.coordinates),
      premovable: { enabled: false },
      draggable: { showGhost: true },
    });
    board.set({
      movable: { events: { after: (from, to) => move(squareOf(from), squareOf(to)) } },
      // A click on a piece that can move is the begin of a move, not an eraser.
      drawable: {
        eraseOnMovablePieceClick: false,
        onChange: (shapes) => draw([...shapes] as Drawing[]),
      },
    });
    // A piece that was chosen in another position may stand elsewhere.
    createEffect(on(fen, () => board?.selectSquare(null), { defer: true }));
    createEffect(() => {
      setPromotion(null);
      board?.set(config());
    });
    // Coordinates are elements that only a new drawing of the whole board makes.
    createEffect(on(() => props.coordinates, (coordinates) => {
      board?.set({ coordinates });
      board?.redrawAll();
    }, { defer: true }));
    // Where drawings came back, the message that they are gone is old.
    createEffect(() => drawings().length > 0 && clearMessage());
    const shapes = createMemo(() => {
      const drawn = preview();
      return [...props.overlays.shapes(), ...(drawn ? [drawn] : [])];
    });
    // One frame after the lines: both in one frame would be a long task on a slow machine.
    createEffect(on(shapes, (drawn) => {
      const frame = requestAnimationFrame(() => board?.setAutoShapes(drawn));
      onCleanup(() => cancelAnimationFrame(frame));
    }));
    createEffect(() => board?.set({ highlight: { custom: new Map(props.overlays.squares()) } }));
  });
  onCleanup(() => board?.destroy());

  return (
    <div class="board">
      <div class="cg-wrap" ref={element} aria-hidden="true" />
      <PlayGrid
        position={position()}
        orientation={props.orientation}
        onSelect={select}
        onMove={move}
        onDraw={(drawing) => draw(toggled(drawings(), drawing))}
        onErase={() => drawings().length > 0 && draw([])}
        onPreview={setPreview}
      />
      <Show when={promotion()}>
        {(pawn) => (
          <PromotionChooser
            color={position().turn}
            file={squareFile(pawn().to)}
            orientation={props.orientation}
            onChoose={choose}
          />
        )}
      </Show>
    </div>
  );
}
