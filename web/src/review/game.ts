/** The game that a review is about: the main line of the tree. */
import type { Chess } from "chessops/chess";
import { INITIAL_FEN } from "chessops/fen";
import { defaultHeaders, extend, makePgn, Node, type PgnNodeData } from "chessops/pgn";
import { SquareSet } from "chessops/squareSet";
import {
  mainLine, newTree, nodeOf, playLine, positionOf, ROOT, type NodeId, type Tree,
} from "../tree/tree";

export interface Game {
  /** The position before the first move. */
  readonly fen: string;
  /** The moves in UCI as the tree writes them. */
  readonly moves: readonly string[];
}

export function gameOf(tree: Tree): Game {
  const [root, ...played] = mainLine(tree);
  return { fen: root?.fen ?? INITIAL_FEN, moves: played.flatMap(({ uci }) => uci ?? []) };
}

/** A tree with this game as its only line. */
export function treeOf(game: Game, headers: Tree["headers"]): Tree {
  return playLine(newTree(game.fen, headers), ROOT, game.moves).tree;
}

/**
 * The nodes of a game in the tree, the root first, wherever its moves are. `null` if the tree lacks
 * one of the moves.
 */
export function nodesOf(tree: Tree, { fen, moves }: Game): NodeId[] | null {
  let node = nodeOf(tree, ROOT);
  if (node.fen !== fen) return null;
  const ids = [node.id];
  for (const move of moves) {
    const id = node.children.find((child) => nodeOf(tree, child).uci === move);
    if (id === undefined) return null;
    ids.push(id);
    node = nodeOf(tree, id);
  }
  return ids;
}

const KING_SQUARES = SquareSet.fromSquare(4).with(60);

/** Whether a castling right of this position is one that standard chess does not have. */
function isChess960({ castles, board }: Chess): boolean {
  const rooks = castles.castlingRights;
  const kings = (["white", "black"] as const)
    .filter((color) => rooks.intersects(board[color]))
    .flatMap((color) => board.kingOf(color) ?? []);
  return rooks.diff(SquareSet.corners()).nonEmpty() || kings.some((square) => !KING_SQUARES.has(square));
}

/** The main line in PGN with its tags, without comments and variations. */
export function pgnOf(tree: Tree): string {
  const [root, ...played] = mainLine(tree);
  const headers = new Map([...defaultHeaders(), ...tree.headers]);
  for (const derived of ["SetUp", "FEN"]) headers.delete(derived);
  if (root && root.fen !== INITIAL_FEN) {
    headers.set("SetUp", "1").set("FEN", root.fen);
    const isKnown = headers.has("Variant");
    if (!isKnown && isChess960(positionOf(root.fen))) headers.set("Variant", "Chess960");
  }
  const moves = new Node<PgnNodeData>();
  extend(moves, played.flatMap(({ san }) => (san === null ? [] : { san })));
  return makePgn({ headers, moves });
}
