/** Texts and files of users: one FEN, or PGN with any number of games. */
import { looksLikeFen, readFen } from "./fen";
import { readSteps, type ReadGame } from "./pgn-read";
import { scanGames, type GameText } from "./pgn-scan";
import { inSlices } from "./slices";
import { newTree, ROOT, type Tree } from "./tree";

/** The longest text that is read, in characters. */
export const MAX_TEXT = 20_000_000;
const TOO_LARGE = "The text is larger than 20 MB. Paste the games that you need.";
const NOTHING = "Paste a PGN or a FEN, or choose a file.";
const NOT_CHESS = "This is neither a FEN nor a PGN: there is no legal move and no tag in it.";

/** What a text holds. */
type Opened =
  | { readonly kind: "tree"; readonly tree: Tree; readonly problems: readonly string[] }
  | { readonly kind: "games"; readonly games: readonly GameText[] }
  | { readonly kind: "problem"; readonly problems: readonly string[] };

const problem = (...problems: string[]): Opened => ({ kind: "problem", problems });

/** Whether there is anything in a game that the board can show. */
const hasContent = (tree: Tree) =>
  tree.nodes.size > 1 || tree.headers.size > 0 || tree.nodes.get(ROOT)!.comments.length > 0;

function openGame({ tree, problems }: ReadGame): Opened {
  if (!tree) return problem(...problems);
  if (!hasContent(tree)) return problem(...(problems.length > 0 ? problems : [NOT_CHESS]));
  return { kind: "tree", tree, problems };
}

/** Reads one game of a file. The page stays usable meanwhile. */
export const readGame = (game: GameText): Promise<ReadGame> => inSlices(readSteps(game));

/** The text of a file: UTF-8, UTF-16 with its mark, or else Windows-1252 as old programs write. */
export function decodeText(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Reads a text. `onPause` is called now and then with the share that is done. */
export async function openText(text: string, onPause: (share: number) => void): Promise<Opened> {
  if (text.trim() === "") return problem(NOTHING);
  if (text.length > MAX_TEXT) return problem(TOO_LARGE);
  if (looksLikeFen(text)) {
    const read = readFen(text);
    if ("fen" in read) return { kind: "tree", tree: newTree(read.fen), problems: [] };
    return problem(`The FEN is wrong: ${read.problem}`);
  }
  const games: GameText[] = [];
  let length = 0;
  await inSlices(scanGames(text), () => onPause(length / text.length), (game) => {
    if (!game) return;
    games.push(game);
    length += game.moves.length;
  });
  const [first] = games;
  if (!first) return problem(NOT_CHESS);
  return games.length > 1 ? { kind: "games", games } : openGame(await readGame(first));
}

/** Reads a file as `openText` reads a text. */
export async function openFile(file: File, onPause: (share: number) => void): Promise<Opened> {
  // A character has at most four bytes.
  if (file.size > 4 * MAX_TEXT) return problem(TOO_LARGE);
  try {
    return await openText(decodeText(await file.arrayBuffer()), onPause);
  } catch {
    return problem(`The file “${file.name}” cannot be read.`);
  }
}
