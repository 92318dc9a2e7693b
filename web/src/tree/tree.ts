/**
 * The game tree: positions, the moves between them, and what is written about each move. A tree is
 * never changed. An edit makes a new tree, which shares all other nodes with the old one, so undo
 * only has to keep the old tree. Plain data without the view.
 */
import { Chess, normalizeMove } from "chessops/chess";
import { INITIAL_FEN, parseFen } from "chessops/fen";
import type { NormalMove } from "chessops/types";
import { parseUci } from "chessops/util";
import { TreeBuilder } from "./builder";
import { nodeOf, ROOT, type Annotation, type NodeId, type Tree, type TreeNode } from "./node";

export { nodeOf, ROOT, type Annotation, type NodeId, type Tree, type TreeNode };

/** The half moves that a FEN counts before its position. */
export function plyOf(fen: string): number {
  const { turn, fullmoves } = parseFen(fen).unwrap();
  return (fullmoves - 1) * 2 + (turn === "black" ? 1 : 0);
}

export function newTree(
  fen: string = INITIAL_FEN,
  headers: ReadonlyMap<string, string> = new Map(),
): Tree {
  const root: TreeNode = {
    id: ROOT, parent: null, fen, ply: plyOf(fen), uci: null, san: null, children: [],
    startingComments: [], comments: [], nags: [],
  };
  return { nodes: new Map([[ROOT, root]]), nextId: ROOT + 1, headers };
}

/** The position of a node. Every FEN of the tree was written by chessops, so it is legal. */
export function positionOf(fen: string): Chess {
  return Chess.fromSetup(parseFen(fen).unwrap()).unwrap();
}

/** The legal move of this UCI text, with castling as king takes rook. */
export function legalMove(position: Chess, uci: string): NormalMove | null {
  const parsed = parseUci(uci);
  if (!parsed) return null;
  const move = normalizeMove(position, parsed);
  return "from" in move && position.isLegal(move) ? move : null;
}

/** The nodes from the root to this one. */
export function pathTo(tree: Tree, id: NodeId): TreeNode[] {
  const path: TreeNode[] = [];
  for (let at: NodeId | null = id; at !== null; ) {
    const node: TreeNode = nodeOf(tree, at);
    path.push(node);
    at = node.parent;
  }
  return path.reverse();
}

/** Moves in UCI, with the position before them. */
export interface PlayedLine {
  readonly fen: string;
  readonly moves: readonly string[];
}

/** The moves of a path after its first node. */
export const playedLine = ([first, ...played]: readonly TreeNode[]): PlayedLine => ({
  fen: first?.fen ?? INITIAL_FEN, moves: played.flatMap(({ uci }) => uci ?? []),
});

/** The nodes of the main line, the root included. */
export function mainLine(tree: Tree): TreeNode[] {
  const line = [nodeOf(tree, ROOT)];
  for (let id = line[0]?.children[0]; id !== undefined; ) {
    const node = nodeOf(tree, id);
    line.push(node);
    id = node.children[0];
  }
  return line;
}

function withNode(tree: Tree, node: TreeNode): Tree {
  return { ...tree, nodes: new Map(tree.nodes).set(node.id, node) };
}

/** A tree with a move, and the move's node. */
interface Played {
  readonly tree: Tree;
  readonly id: NodeId;
}

/** Plays a legal move after a node. A move that the tree has is not added again. */
export function play(tree: Tree, at: NodeId, uci: string): Played | null {
  const played = playLine(tree, at, [uci]);
  return played.id === at ? null : played;
}

/** Plays moves one after another, up to the first illegal one. */
export function playLine(tree: Tree, at: NodeId, moves: readonly string[]): Played {
  const builder = new TreeBuilder(tree);
  const position = positionOf(nodeOf(tree, at).fen);
  let id = at;
  for (const uci of moves) {
    const move = legalMove(position, uci);
    if (!move) break;
    id = builder.add(id, position, move);
  }
  return { tree: builder.size === tree.nodes.size ? tree : builder.tree(), id };
}

/**
 * Gives a node these children. PGN has no comments before the first of them: they go to the
 * comments after it.
 */
function withChildren(tree: Tree, id: NodeId, children: readonly NodeId[]): Tree {
  const changed = withNode(tree, { ...nodeOf(tree, id), children });
  const first = children[0] === undefined ? undefined : nodeOf(tree, children[0]);
  if (!first || first.startingComments.length === 0) return changed;
  const comments = [...first.startingComments, ...first.comments];
  return withNode(changed, { ...first, startingComments: [], comments });
}

/** Removes a node with all that follow it. The root stays. */
export function remove(tree: Tree, id: NodeId): Tree {
  const { parent } = nodeOf(tree, id);
  if (parent === null) return tree;
  const nodes = new Map(tree.nodes);
  const pending = [id];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    pending.push(...nodeOf(tree, next).children);
    nodes.delete(next);
  }
  const children = nodeOf(tree, parent).children.filter((child) => child !== id);
  return withChildren({ ...tree, nodes }, parent, children);
}

/** The first move of the variation that this node is in, or `null` within the main line. */
export function variationOf(tree: Tree, id: NodeId): TreeNode | null {
  for (const node of pathTo(tree, id).reverse()) {
    if (node.parent !== null && nodeOf(tree, node.parent).children[0] !== node.id) return node;
  }
  return null;
}

/** Moves a node by this many places among its siblings: −1 promotes it. */
function moveAmongSiblings(tree: Tree, id: NodeId, places: number): Tree {
  const { parent } = nodeOf(tree, id);
  if (parent === null) return tree;
  const node = nodeOf(tree, parent);
  const at = node.children.indexOf(id);
  const to = Math.min(Math.max(at + places, 0), node.children.length - 1);
  if (to === at) return tree;
  const children = node.children.filter((child) => child !== id);
  children.splice(to, 0, id);
  return withChildren(tree, parent, children);
}

/** The move of the line up to this node that can be demoted: the last one before a sibling. */
export function demotable(tree: Tree, id: NodeId): TreeNode | null {
  for (const node of pathTo(tree, id).reverse()) {
    if (node.parent !== null && nodeOf(tree, node.parent).children.at(-1) !== node.id) return node;
  }
  return null;
}

/** Promotes the variation that this node is in by one place. */
export function promote(tree: Tree, id: NodeId): Tree {
  const first = variationOf(tree, id);
  return first ? moveAmongSiblings(tree, first.id, -1) : tree;
}

/** Demotes the line that this node is in by one place. */
export function demote(tree: Tree, id: NodeId): Tree {
  const node = demotable(tree, id);
  return node ? moveAmongSiblings(tree, node.id, 1) : tree;
}

/** Makes the line up to this node the main line. */
export function makeMainLine(tree: Tree, id: NodeId): Tree {
  return pathTo(tree, id).reduce((made, node) => moveAmongSiblings(made, node.id, -Infinity), tree);
}

export function annotate(tree: Tree, id: NodeId, annotation: Annotation): Tree {
  return withNode(tree, { ...nodeOf(tree, id), ...annotation });
}

export function withHeaders(tree: Tree, headers: ReadonlyMap<string, string>): Tree {
  return { ...tree, headers };
}
