/** Moves and drawings by keyboard: the squares of the shown position. */
import type { Key } from "@lichess-org/chessground/types";
import type { Chess } from "chessops/chess";
import type { Color, Square } from "chessops/types";
import { makeSquare } from "chessops/util";
import { createEffect, createSignal, on } from "solid-js";
import { useShortcuts } from "../ui/shortcuts";
import { BRUSH_NAMES, type Brush, type Drawing } from "./drawings";
import { clearMessage, tell } from "./message";
import { targetsOf } from "./moves";
import { SquareGrid, type SquareGridApi } from "./SquareGrid";
import { listed, squareName } from "./squares";

interface Props {
  position: Chess;
  orientation: Color;
  /** Called with the square whose piece is chosen. */
  onSelect(square: Square | null): void;
  onMove(from: Square, to: Square): void;
  /** Called with a finished drawing. */
  onDraw(drawing: Drawing): void;
  onErase(): void;
  /** Called with the drawing that the user is at. */
  onPreview(drawing: Drawing | null): void;
}

const E2 = 12;

const drawingOf = (from: Square, to: Square, brush: Brush): Drawing => ({
  orig: makeSquare(from) as Key,
  ...(from === to ? {} : { dest: makeSquare(to) as Key }),
  brush,
});

const DRAW_HINT =
  "At its target, press 1 for green, 2 red, 3 blue, 4 yellow. Escape cancels.";

export function PlayGrid(props: Props) {
  let grid: SquareGridApi | undefined;
  const [selected, setSelected] = createSignal<Square | null>(null);
  const [drawnFrom, setDrawnFrom] = createSignal<Square | null>(null);
  const targets = () => targetsOf(props.position);

  const select = (square: Square | null) => {
    setSelected(square);
    props.onSelect(square);
  };
  const cancel = () => {
    const hadAny = selected() !== null || drawnFrom() !== null;
    setDrawnFrom(null);
    props.onPreview(null);
    if (selected() !== null) select(null);
    if (hadAny) clearMessage();
    return hadAny;
  };
  createEffect(on(() => props.position, cancel, { defer: true }));

  const choose = (square: Square) => {
    const names = targets().get(square)?.map(makeSquare);
    if (!names) {
      tell(`${squareName(props.position.board, square)}: nothing that can move.`);
      return;
    }
    select(square);
    tell(`${squareName(props.position.board, square)}. It can go to ${listed(names)}.`);
  };
  const activate = (square: Square) => {
    const from = selected();
    if (drawnFrom() !== null) draw(square, "green");
    else if (from === null) choose(square);
    else if (from === square) cancel();
    else if (targets().get(from)?.includes(square)) {
      cancel();
      props.onMove(from, square);
    } else if (targets().has(square)) choose(square);
    else tell(`${makeSquare(from)} cannot go to ${makeSquare(square)}.`, "error");
  };

  const startDrawing = () => {
    grid?.focus();
    cancel();
    const from = grid?.square() ?? E2;
    setDrawnFrom(from);
    props.onPreview(drawingOf(from, from, "green"));
    tell(`Drawing from ${makeSquare(from)}. ${DRAW_HINT}`);
  };
  const draw = (to: Square, brush: Brush) => {
    const from = drawnFrom();
    cancel();
    if (from !== null) props.onDraw(drawingOf(from, to, brush));
  };
  const onKey = (key: string, square: Square): boolean => {
    if (key === "Escape") return cancel();
    if (key === "Delete" || key === "Backspace") {
      props.onErase();
      return true;
    }
    const brush = drawnFrom() === null ? undefined : BRUSH_NAMES[Number(key) - 1];
    if (brush) draw(square, brush);
    return brush !== undefined;
  };
  const onFocusSquare = (square: Square | null) => {
    const from = drawnFrom();
    if (from !== null && square !== null) props.onPreview(drawingOf(from, square, "green"));
  };

  useShortcuts([
    { keys: ["b"], label: "Go to the squares", group: "Board", run: () => grid?.focus() },
    { keys: ["d"], label: "Draw from the focused square", group: "Board", run: startDrawing },
  ]);

  const nameOf = (square: Square) => {
    const from = selected();
    const isTarget = from !== null && targets().get(from)?.includes(square);
    return squareName(props.position.board, square) + (isTarget ? ", target" : "");
  };
  return (
    <SquareGrid
      label="Board"
      orientation={props.orientation}
      first={E2}
      selected={selected()}
      nameOf={nameOf}
      onActivate={activate}
      onKey={onKey}
      onFocusSquare={onFocusSquare}
      api={(api) => { grid = api; }}
    />
  );
}
