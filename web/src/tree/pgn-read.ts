/** PGN into trees: every legal move with all that is written about it. */
import { PgnParser, parseVariant, type Game, type Node, type PgnNodeData } from "chessops/pgn";
import type { Chess } from "chessops/chess";
import { parseSan } from "chessops/san";
import type { NormalMove } from "chessops/types";
import { TreeBuilder } from "./builder";
import { readFen } from "./fen";
import { moveNumber } from "./notation";
import { TOO_DEEP, type GameText } from "./pgn-scan";
import { legalMove, newTree, positionOf, ROOT, type NodeId, type Tree } from "./tree";

/** A game of a file as far as it can be read. */
export interface ReadGame {
  /** All that is legal, or `null` if the game has no legal start. */
  readonly tree: Tree | null;
  /** What is wrong, as sentences. */
  readonly problems: readonly string[];
}

/** Work with `null` where the caller may pause. */
export type Steps<Result> = Generator<null, Result>;

/** Moves between two pauses. */
const MOVES_PER_STEP = 100;

/** The work that one game may cost, in the units of chessops: 100 for a move, 1 for a character. */
const BUDGET = 2_000_000;
const TOO_LONG = "The game is too long; about 15,000 moves and 2 MB are allowed.";

/** Of many illegal moves only so many are named. */
const MAX_NAMED = 3;

type Moves = Game<PgnNodeData>;

/** The syntax tree of a game's moves, or `null` if it is too large. */
function parseMoves({ tags, moves }: GameText): Moves | null {
  let parsed: Moves | undefined;
  let isTooLong = false;
  const emit = (game: Moves, error: Error | undefined) => {
    parsed ??= game;
    isTooLong ||= error !== undefined;
  };
  // The games are split already: a blank line here only is what a tag left behind.
  new PgnParser(emit, () => new Map(tags), BUDGET).parse(moves === "" ? "*" : moves);
  return isTooLong || !parsed ? null : parsed;
}

/** The move of a SAN text, or of a UCI text as some programs write into PGN. */
function moveOf(position: Chess, text: string): NormalMove | null {
  const move = parseSan(position, text);
  return move && "from" in move ? move : legalMove(position, text.toLowerCase());
}

interface Pending {
  readonly move: Node<PgnNodeData>["children"][number];
  readonly parent: NodeId;
  /** The position before the move, which other moves may share. */
  readonly position: Chess;
  readonly isShared: boolean;
}

/** Adds all legal moves in depth-first order and returns sentences about the others. */
function* addMoves(builder: TreeBuilder, game: Moves, start: Chess): Steps<string[]> {
  const illegal: string[] = [];
  const pending: Pending[] = [];
  const follow = ({ children }: Node<PgnNodeData>, parent: NodeId, position: Chess) => {
    const isShared = children.length > 1;
    for (const move of children.toReversed()) pending.push({ move, parent, position, isShared });
  };
  follow(game.moves, ROOT, start);
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { move: { data }, parent } = next;
    const position = next.isShared ? next.position.clone() : next.position;
    const move = moveOf(position, data.san);
    if (!move) {
      illegal.push(illegalMove(builder.node(parent).ply + 1, data.san));
      continue;
    }
    const id = builder.add(parent, position, move);
    builder.annotate(id, data);
    follow(next.move, id, position);
    if (builder.size % MOVES_PER_STEP === 0) yield null;
  }
  return illegal;
}

function illegalMove(ply: number, san: string): string {
  const isNull = san === "--";
  const what = isNull ? "is a null move, which the board does not play" : "is not a legal move";
  return `${moveNumber(ply, true)} ${san} ${what}. The moves before it can be opened.`;
}

function startOf(tags: ReadonlyMap<string, string>): { fen?: string; problem?: string } {
  const variant = tags.get("Variant");
  if (parseVariant(variant) !== "chess") {
    return { problem: `The variant “${variant}” is not supported; chess and Chess960 are.` };
  }
  const fen = tags.get("FEN");
  if (!fen) return {};
  const read = readFen(fen);
  return "fen" in read ? read : { problem: `The tag FEN is wrong: ${read.problem}` };
}

/** Reads one game, with pauses. */
export function* readSteps(text: GameText): Steps<ReadGame> {
  const { fen, problem } = startOf(text.tags);
  if (problem !== undefined) return { tree: null, problems: [problem] };
  if (text.problem === TOO_DEEP) return { tree: null, problems: [TOO_DEEP] };
  const game = parseMoves(text);
  if (!game) return { tree: null, problems: [TOO_LONG] };
  const tree = newTree(fen, game.headers);
  const builder = new TreeBuilder(tree);
  builder.annotate(ROOT, { comments: game.comments ?? [] });
  const illegal = yield* addMoves(builder, game, positionOf(builder.node(ROOT).fen));
  const more = illegal.length - MAX_NAMED;
  const problems = [
    ...(text.problem === null ? [] : [text.problem]),
    ...illegal.slice(0, MAX_NAMED),
    ...(more > 0 ? [`${more} more ${more === 1 ? "move is" : "moves are"} illegal.`] : []),
  ];
  return { tree: builder.tree(game.headers), problems };
}
