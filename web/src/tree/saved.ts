/**
 * The tree as a short text, for the browser's storage and for links: moves in UCI with variations
 * in brackets, and what is written about them by the number of the move in this order.
 */
import { INITIAL_FEN } from "chessops/fen";
import type { Chess } from "chessops/chess";
import type { Color } from "chessops/types";
import { TreeBuilder } from "./builder";
import { readFen } from "./fen";
import { nodeOf, ROOT, type NodeId, type Tree, type TreeNode } from "./node";
import { legalMove, newTree, positionOf } from "./tree";

/** What the page shows of the tree. */
export interface View {
  readonly tree: Tree;
  readonly current: NodeId;
  readonly orientation: Color;
}

type Note = readonly [
  nags: readonly number[], comments: readonly string[], startingComments: readonly string[],
];

interface Saved {
  readonly fen?: string;
  readonly tags: readonly (readonly [string, string])[];
  readonly moves: string;
  readonly notes: Readonly<Record<number, Note>>;
  /** The number of the shown move. */
  readonly current: number;
  readonly orientation: Color;
}

/** A tree with more moves would stop the page for too long when it is read. */
export const MAX_MOVES = 20_000;

type Part = NodeId | "(" | ")" | { readonly after: NodeId };

/** The moves with brackets, in the order of reading. */
function partsOf(tree: Tree): (NodeId | "(" | ")")[] {
  const parts: (NodeId | "(" | ")")[] = [];
  const pending: Part[] = [{ after: ROOT }];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (typeof part !== "object") {
      parts.push(part);
      continue;
    }
    const [first, ...others] = nodeOf(tree, part.after).children;
    if (first === undefined) continue;
    const asides = others.flatMap((id): Part[] => ["(", id, { after: id }, ")"]);
    pending.push(...[first, ...asides, { after: first }].reverse());
  }
  return parts;
}

const noteOf = ({ nags, comments, startingComments }: TreeNode): Note | null =>
  nags.length + comments.length + startingComments.length > 0
    ? [nags, comments, startingComments] : null;

export function pack({ tree, current, orientation }: View): string {
  const parts = partsOf(tree);
  const order = [ROOT, ...parts.filter((part) => typeof part === "number")];
  const notes = order.flatMap((id, number) => {
    const note = noteOf(nodeOf(tree, id));
    return note ? [[number, note] as const] : [];
  });
  const { fen } = nodeOf(tree, ROOT);
  const saved: Saved = {
    ...(fen === INITIAL_FEN ? {} : { fen }),
    tags: [...tree.headers],
    moves: parts.map((part) => (typeof part === "string" ? part : nodeOf(tree, part).uci))
      .join(" "),
    notes: Object.fromEntries(notes),
    current: Math.max(0, order.indexOf(current)),
    orientation,
  };
  return JSON.stringify(saved);
}

/** Adds the moves of a text and returns them in its order, or `null` if one is not legal. */
function addMoves(builder: TreeBuilder, text: string): NodeId[] | null {
  const order: NodeId[] = [ROOT];
  const returns: NodeId[] = [];
  let at: NodeId = ROOT;
  let position: Chess | null = null;
  for (const part of text.split(" ").filter((found) => found !== "")) {
    if (part === "(") {
      returns.push(at);
      at = builder.node(at).parent ?? ROOT;
      position = null;
    } else if (part === ")") {
      at = returns.pop() ?? ROOT;
      position = null;
    } else {
      position ??= positionOf(builder.node(at).fen);
      const move = legalMove(position, part);
      if (!move || order.length > MAX_MOVES) return null;
      at = builder.add(at, position, move);
      order.push(at);
    }
  }
  return order;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
const numbers = (value: unknown): number[] =>
  Array.isArray(value) ? value.filter((item) => Number.isInteger(item) && item >= 0) : [];

function tagsOf(value: unknown): Map<string, string> {
  const pairs = Array.isArray(value) ? value : [];
  return new Map(pairs.map(texts).flatMap(([name, text]) =>
    name !== undefined && text !== undefined ? [[name, text] as const] : []));
}

/** Reads what `pack` wrote, or returns `null` for any other text. */
export function unpack(text: string): View | null {
  let saved: unknown;
  try {
    saved = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(saved) || typeof saved["moves"] !== "string") return null;
  const start = readFen(typeof saved["fen"] === "string" ? saved["fen"] : INITIAL_FEN);
  if (!("fen" in start)) return null;
  const builder = new TreeBuilder(newTree(start.fen, tagsOf(saved["tags"])));
  const order = addMoves(builder, saved["moves"]);
  if (!order) return null;
  const notes = isObject(saved["notes"]) ? saved["notes"] : {};
  for (const [number, note] of Object.entries(notes)) {
    const id = order[Number(number)];
    if (id === undefined || !Array.isArray(note)) continue;
    builder.annotate(id, {
      nags: numbers(note[0]), comments: texts(note[1]), startingComments: texts(note[2]),
    });
  }
  return {
    tree: builder.tree(),
    current: order[Number(saved["current"])] ?? ROOT,
    orientation: saved["orientation"] === "black" ? "black" : "white",
  };
}
