/** The board of the setup editor, with a palette above and below it. */
import { Chessground } from "@lichess-org/chessground";
import type { Api } from "@lichess-org/chessground/api";
import { charToRole, makeSquare } from "chessops/util";
import type { Color, Piece, Square } from "chessops/types";
import { opposite } from "chessops/util";
import { createEffect, createMemo, createSignal, onCleanup, onMount, Show } from "solid-js";
import { boardOf, withPiece, type Setup } from "./setup";
import { isPiece, SetupPalette, type Tool } from "./SetupPalette";
import { SquareGrid } from "./SquareGrid";
import { squareAt, squareName } from "./squares";

interface Props {
  setup: Setup;
  orientation: Color;
  coordinates: boolean;
  /** The squares that make the position illegal. */
  faults: readonly Square[];
  onChange(setup: Setup): void;
}

const E1 = 4;

export function SetupBoard(props: Props) {
  let element!: HTMLDivElement;
  let board: Api | undefined;
  const [tool, setTool] = createSignal<Tool>("move");
  /** The square whose piece moves to the next chosen one. */
  const [picked, setPicked] = createSignal<Square | null>(null);
  const pieces = createMemo(() => boardOf(props.setup));
  const field = createMemo(() => props.setup.board);

  const put = (square: Square, piece: Piece | null) =>
    props.onChange(withPiece(props.setup, square, piece));
  const has = (square: Square, piece: Piece) => {
    const there = pieces().get(square);
    return there?.color === piece.color && there.role === piece.role;
  };

  /** What a key does on a square with the chosen tool. */
  const activate = (square: Square) => {
    const chosen = tool();
    if (chosen === "erase") put(square, null);
    else if (isPiece(chosen)) put(square, has(square, chosen) ? null : chosen);
    else if (picked() === null) setPicked(pieces().has(square) ? square : null);
    else {
      const from = picked()!;
      const piece = pieces().get(from);
      setPicked(null);
      if (piece && from !== square) {
        props.onChange(withPiece(withPiece(props.setup, from, null), square, piece));
      }
    }
  };
  const onKey = (key: string, square: Square): boolean => {
    if (key === "Delete" || key === "Backspace") put(square, null);
    else if (/^[pnbrqk]$/i.test(key)) {
      const color = key === key.toUpperCase() ? "white" : "black";
      put(square, { color, role: charToRole(key.toLowerCase() as "p") });
    } else if (key === "Escape" && picked() !== null) setPicked(null);
    else return false;
    return true;
  };

  onMount(() => {
    board = Chessground(element, {
      fen: field(),
      coordinates: props.coordinates,
      movable: { free: true, color: "both" },
      premovable: { enabled: false },
      drawable: { enabled: false },
      draggable: { showGhost: true, deleteOnDropOff: true },
      highlight: { lastMove: false, check: false },
      animation: { enabled: false },
      events: {
        change: () => board && props.onChange({ ...props.setup, board: board.getFen() }),
      },
    });
    createEffect(() => board?.set({ fen: field(), orientation: props.orientation }));
    createEffect(() => board?.set({
      highlight: { custom: new Map(props.faults.map((square) => [makeSquare(square), "fault"])) },
    }));
  });
  onCleanup(() => board?.destroy());

  const palette = (color: Color, first: "move" | "erase") => (
    <SetupPalette
      color={color}
      first={first}
      tool={tool()}
      onChoose={(chosen) => {
        board?.cancelMove();
        setPicked(null);
        setTool(chosen);
      }}
      onDrag={(piece, event) => board?.dragNewPiece(piece, event as MouseEvent, true)}
    />
  );
  return (
    <div class="setup-board">
      {palette(opposite(props.orientation), "move")}
      <div class="board">
        <div class="cg-wrap" ref={element} aria-hidden="true" />
        <SquareGrid
          label="Board of the editor"
          describedBy="setup-keys notes-board"
          orientation={props.orientation}
          first={E1}
          selected={picked()}
          nameOf={(square) =>
            squareName(pieces(), square) + (props.faults.includes(square) ? ", wrong" : "")}
          onActivate={activate}
          onKey={onKey}
        />
        <Show when={tool() !== "move"}>
          <Brush
            orientation={props.orientation}
            begin={(square) => {
              const chosen = tool();
              const isErasing = !isPiece(chosen) || has(square, chosen);
              return isErasing ? null : chosen;
            }}
            onPaint={put}
          />
        </Show>
      </div>
      {palette(props.orientation, "erase")}
      <p id="setup-keys" class="hint">
        On a square, a letter puts a piece there (white in upper case), and{" "}
        <kbd>Delete</kbd> takes it.
      </p>
    </div>
  );
}

interface BrushProps {
  orientation: Color;
  /** The piece that a stroke from this square puts, or `null` if it erases. */
  begin(square: Square): Piece | null;
  onPaint(square: Square, piece: Piece | null): void;
}

/** Takes the pointer over the board while a tool is chosen, so that strokes paint. */
function Brush(props: BrushProps) {
  let stroke: { piece: Piece | null; last: Square } | null = null;
  const squareUnder = (event: PointerEvent & { currentTarget: HTMLElement }): Square | null => {
    const { left, top, width } = event.currentTarget.getBoundingClientRect();
    const column = Math.floor(((event.clientX - left) / width) * 8);
    const row = Math.floor(((event.clientY - top) / width) * 8);
    const isInside = row >= 0 && row < 8 && column >= 0 && column < 8;
    return isInside ? squareAt(row, column, props.orientation) : null;
  };
  return (
    <div
      class="brush"
      onPointerDown={(event) => {
        const square = squareUnder(event);
        if (square === null || event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        stroke = { piece: props.begin(square), last: square };
        props.onPaint(square, stroke.piece);
      }}
      onPointerMove={(event) => {
        const square = squareUnder(event);
        if (!stroke || square === null || square === stroke.last) return;
        stroke.last = square;
        props.onPaint(square, stroke.piece);
      }}
      onPointerUp={() => { stroke = null; }}
      onPointerCancel={() => { stroke = null; }}
    />
  );
}
