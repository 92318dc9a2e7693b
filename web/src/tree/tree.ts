/**
 * The game tree: nodes, moves between them, and the path to the node that the board shows.
 * Plain data without the view, so that tests and the view's store can share it.
 */
import { Chess, normalizeMove } from "chessops/chess";
import { INITIAL_FEN, makeFen, parseFen } from "chessops/fen";
import { makeSanAndPlay } from "chessops/san";
import type { NormalMove } from "chessops/types";
import { makeUci, parseUci } from "chessops/util";

export type NodeId = number;

export interface TreeNode {
  readonly id: NodeId;
  readonly parent: NodeId | null;
  readonly fen: string;
  /** Half moves since the root. */
  readonly ply: number;
  /** The move from the parent. The root has none. */
  readonly uci: string | null;
  readonly san: string | null;
  /** The first child continues the main line; the others begin variations. */
  children: NodeId[];
  /** The child that was shown last: stepping forward goes there. */
  lastShown: NodeId | null;
}

export interface Tree {
  nodes: Record<NodeId, TreeNode>;
  current: NodeId;
  nextId: NodeId;
}

export const ROOT: NodeId = 0;

export function newTree(fen: string = INITIAL_FEN): Tree {
  const root: TreeNode = {
    id: ROOT, parent: null, fen, ply: 0, uci: null, san: null, children: [], lastShown: null,
  };
  return { nodes: { [ROOT]: root }, current: ROOT, nextId: ROOT + 1 };
}

export function nodeOf(tree: Tree, id: NodeId): TreeNode {
  const node = tree.nodes[id];
  if (!node) throw new Error(`the tree has no node ${id}`);
  return node;
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

/** The child that a step forward shows. */
export function nextOf(node: TreeNode): NodeId | null {
  return node.lastShown ?? node.children[0] ?? null;
}

/** The line through the current node: its path, continued to the end. */
export function shownLine(tree: Tree): TreeNode[] {
  const line = pathTo(tree, tree.current);
  for (let id = nextOf(nodeOf(tree, tree.current)); id !== null; ) {
    const node = nodeOf(tree, id);
    line.push(node);
    id = nextOf(node);
  }
  return line;
}

/** Shows a node, and remembers the way to it for stepping forward. */
export function show(tree: Tree, id: NodeId): void {
  for (const node of pathTo(tree, id)) {
    if (node.parent !== null) nodeOf(tree, node.parent).lastShown = node.id;
  }
  tree.current = id;
}

/** What playing a move did. */
export interface Played {
  readonly id: NodeId;
  /** `false` if the tree had the move already. */
  readonly isNew: boolean;
}

/** Plays a legal move at the current node and shows it. `null` if it is illegal. */
export function play(tree: Tree, uci: string): Played | null {
  const parent = nodeOf(tree, tree.current);
  const position = positionOf(parent.fen);
  const move = legalMove(position, uci);
  if (!move) return null;
  const normal = makeUci(move);
  const known = parent.children.find((id) => nodeOf(tree, id).uci === normal);
  if (known !== undefined) {
    show(tree, known);
    return { id: known, isNew: false };
  }
  const san = makeSanAndPlay(position, move);
  const id = tree.nextId++;
  tree.nodes[id] = {
    id, parent: parent.id, fen: makeFen(position.toSetup()), ply: parent.ply + 1, uci: normal, san,
    children: [], lastShown: null,
  };
  parent.children.push(id);
  show(tree, id);
  return { id, isNew: true };
}

/** Removes a node with all that follow it. Shows its parent if the removed part was shown. */
export function remove(tree: Tree, id: NodeId): void {
  const { parent } = nodeOf(tree, id);
  if (parent === null) return;
  const isShown = pathTo(tree, tree.current).some((node) => node.id === id);
  const pending = [id];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    pending.push(...nodeOf(tree, next).children);
    delete tree.nodes[next];
  }
  const node = nodeOf(tree, parent);
  node.children = node.children.filter((child) => child !== id);
  if (node.lastShown === id) node.lastShown = null;
  if (isShown) tree.current = parent;
}
