/** The tools of the setup editor: move pieces, erase them, or put one of twelve on the board. */
import type { Color, Piece, Role } from "chessops/types";
import { For } from "solid-js";
import { Icon } from "../ui/Icon";
import { pieceName } from "./squares";

/** What a click on a square does: moves a piece, erases it, or puts this piece there. */
export type Tool = "move" | "erase" | Piece;

const ROLES: readonly Role[] = ["king", "queen", "rook", "bishop", "knight", "pawn"];

export const isPiece = (tool: Tool): tool is Piece => typeof tool === "object";

const isSame = (a: Tool, b: Tool) =>
  isPiece(a) && isPiece(b) ? a.color === b.color && a.role === b.role : a === b;

interface Props {
  color: Color;
  /** The tool that stands before the pieces in this row. */
  first: "move" | "erase";
  tool: Tool;
  onChoose(tool: Tool): void;
  /** Called when a piece is grabbed, to be dragged to the board. */
  onDrag(piece: Piece, event: MouseEvent | TouchEvent): void;
}

export function SetupPalette(props: Props) {
  const tools = (): Tool[] => [
    props.first, ...ROLES.map((role) => ({ color: props.color, role })),
  ];
  const nameOf = (tool: Tool) =>
    isPiece(tool) ? pieceName(tool) : tool === "move" ? "Move pieces" : "Erase pieces";
  const drag = (tool: Tool, event: MouseEvent | TouchEvent) => {
    if (isPiece(tool)) props.onDrag(tool, event);
  };
  // A dragged touch ends without a click.
  const release = (tool: Tool, event: PointerEvent & { currentTarget: HTMLElement }) => {
    const under = document.elementFromPoint(event.clientX, event.clientY);
    if (event.currentTarget.contains(under)) props.onChoose(tool);
  };
  return (
    <div class="palette cg-wrap">
      <For each={tools()}>
        {(tool) => (
          <label
            title={nameOf(tool)}
            onMouseDown={(event) => event.button === 0 && drag(tool, event)}
            onTouchStart={(event) => drag(tool, event)}
            onPointerUp={(event) => release(tool, event)}
          >
            <input
              type="radio"
              name="setup-tool"
              aria-label={nameOf(tool)}
              checked={isSame(tool, props.tool)}
              onChange={() => props.onChoose(tool)}
            />
            {isPiece(tool)
              ? <piece class={`${tool.role} ${tool.color}`} />
              : <Icon name={tool === "move" ? "hand" : "erase"} />}
          </label>
        )}
      </For>
    </div>
  );
}
