/** A tree under construction. Nodes are added in place, so that long games cost little. */
import type { Chess } from "chessops/chess";
import { makeFen } from "chessops/fen";
import { makeSanAndPlay } from "chessops/san";
import type { NormalMove } from "chessops/types";
import { makeUci } from "chessops/util";
import { nodeOf, type Annotation, type NodeId, type Tree, type TreeNode } from "./node";

export class TreeBuilder {
  readonly #base: Tree;
  readonly #nodes: Map<NodeId, TreeNode>;
  #nextId: NodeId;

  /** Begins with the nodes of a tree, which stays as it is. */
  constructor(base: Tree) {
    this.#base = base;
    this.#nodes = new Map(base.nodes);
    this.#nextId = base.nextId;
  }

  get size(): number {
    return this.#nodes.size;
  }

  /**
   * Adds a legal move after a node and plays it in `position`, which is that of the node. A move
   * that the node has is not added again.
   */
  add(parentId: NodeId, position: Chess, move: NormalMove): NodeId {
    const parent = this.node(parentId);
    const uci = makeUci(move);
    const known = parent.children.find((id) => this.node(id).uci === uci);
    if (known !== undefined) {
      position.play(move);
      return known;
    }
    const san = makeSanAndPlay(position, move);
    const id = this.#nextId++;
    this.#nodes.set(id, {
      id, parent: parentId, fen: makeFen(position.toSetup()), ply: parent.ply + 1, uci, san,
      children: [], startingComments: [], comments: [], nags: [],
    });
    this.#nodes.set(parentId, { ...parent, children: [...parent.children, id] });
    return id;
  }

  /** Adds to what is written about a move. */
  annotate(id: NodeId, { startingComments = [], comments = [], nags = [] }: Annotation): void {
    if (startingComments.length + comments.length + nags.length === 0) return;
    const node = this.node(id);
    const isFirst = node.parent !== null && this.node(node.parent).children[0] === id;
    // PGN has no comments before the first move of a fork.
    const [before, after] = isFirst ? [[], [...startingComments, ...comments]]
      : [startingComments, comments];
    this.#nodes.set(id, {
      ...node,
      startingComments: [...node.startingComments, ...before],
      comments: [...node.comments, ...after],
      nags: [...node.nags, ...nags],
    });
  }

  node(id: NodeId): TreeNode {
    return nodeOf({ nodes: this.#nodes }, id);
  }

  /** The tree so far. */
  tree(headers: ReadonlyMap<string, string> = this.#base.headers): Tree {
    return { nodes: new Map(this.#nodes), nextId: this.#nextId, headers };
  }
}
