/** The game that a review is about: the main line of the tree. */
import { defaultHeaders, extend, makePgn, Node, type PgnNodeData } from "chessops/pgn";
import { tagsOf } from "../tree/tags";
import {
  mainLine, newTree, nodeOf, playedLine, playLine, ROOT, type NodeId, type PlayedLine, type Tree,
} from "../tree/tree";

export type Game = PlayedLine;

export const gameOf = (tree: Tree): Game => playedLine(mainLine(tree));

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

/** The main line in PGN with its tags, without comments and variations. */
export function pgnOf(tree: Tree): string {
  const [, ...played] = mainLine(tree);
  const headers = new Map([...defaultHeaders(), ...tagsOf(tree)]);
  const moves = new Node<PgnNodeData>();
  extend(moves, played.flatMap(({ san }) => (san === null ? [] : { san })));
  return makePgn({ headers, moves });
}
