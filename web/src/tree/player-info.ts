/** The players of a game: names, titles, ratings and clocks. */
import type { Color } from "chessops/types";
import type { TreeNode } from "./node";
import { clockOf } from "./notes";

type Tags = ReadonlyMap<string, string>;

interface Player {
  readonly name: string | null;
  readonly title: string | null;
  readonly rating: string | null;
}

const known = (value = ""): string | null => (/^[?\s-]*$/.test(value) ? null : value.trim());

export function playerOf(tags: Tags, color: Color): Player {
  const side = color === "white" ? "White" : "Black";
  return {
    name: known(tags.get(side)),
    title: known(tags.get(`${side}Title`)),
    rating: known(tags.get(`${side}Elo`)),
  };
}

/** The clock at the start of a game: `300+2` is five minutes. */
function startClock(tags: Tags): string | null {
  const [, text] = /^(\d+)(?:\+\d+)?$/.exec(tags.get("TimeControl") ?? "") ?? [];
  const seconds = Number(text);
  if (!seconds) return null;
  const two = (number: number) => String(number).padStart(2, "0");
  return clockOf([`[%clk ${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:`
    + `${two(seconds % 60)}]`]);
}

/**
 * The clock of a player at the end of a path: that after their last move, or the one that the game
 * began with. `line` is the path, continued to its end. A line without clocks has none.
 */
export function clockAt(
  tags: Tags, color: Color, path: readonly TreeNode[], line: readonly TreeNode[],
): string | null {
  const isOwn = ({ ply }: TreeNode) => (ply % 2 === 1) === (color === "white");
  const last = path.findLast((node) => isOwn(node) && clockOf(node.comments) !== null);
  if (last) return clockOf(last.comments);
  return line.some(({ comments }) => clockOf(comments) !== null) ? startClock(tags) : null;
}
