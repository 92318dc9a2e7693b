/** The nodes of the game tree, as plain data. */

export type NodeId = number;

export interface TreeNode {
  readonly id: NodeId;
  readonly parent: NodeId | null;
  readonly fen: string;
  /** Half moves since the start of the game, by the FEN: odd after a move of White. */
  readonly ply: number;
  /** The move from the parent. The root has none. */
  readonly uci: string | null;
  readonly san: string | null;
  /** The first child continues the line; the others begin variations. */
  readonly children: readonly NodeId[];
  /** The comments before the move, as PGN writes them. */
  readonly startingComments: readonly string[];
  /** The comments after the move. They include commands, such as `[%clk 0:03:00]`. */
  readonly comments: readonly string[];
  /** Numeric annotation glyphs: 1 is `!`, 4 is `??`. */
  readonly nags: readonly number[];
}

export interface Tree {
  readonly nodes: ReadonlyMap<NodeId, TreeNode>;
  readonly nextId: NodeId;
  /** The tags of the game in their order. */
  readonly headers: ReadonlyMap<string, string>;
}

export const ROOT: NodeId = 0;

/** What a person writes about a move. */
export type Annotation = Partial<Pick<TreeNode, "startingComments" | "comments" | "nags">>;

export function nodeOf(tree: Pick<Tree, "nodes">, id: NodeId): TreeNode {
  const node = tree.nodes.get(id);
  if (!node) throw new Error(`the tree has no node ${id}`);
  return node;
}
