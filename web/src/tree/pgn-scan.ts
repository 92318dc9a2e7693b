/**
 * Splitting of a PGN file into its games, without reading the moves. It forgives what files in the
 * world have: blank lines between moves, games without a blank line between them or without tags,
 * comments that are never closed.
 */

export interface GameText {
  /** The line of the file that the game begins in, from 1. */
  readonly line: number;
  readonly tags: ReadonlyMap<string, string>;
  /** The text of the moves, in which each comment is in braces. */
  readonly moves: string;
  /** What is wrong with the text as such, as a sentence. */
  readonly problem: string | null;
}

/** The deepest nesting of variations that is read. */
const MAX_NESTING = 100;

/** Lines between two pauses of the scan. */
const LINES_PER_STEP = 1_000;

const TAG_LINE = /^\s*\[\s*[A-Za-z0-9][\w+#=:-]*\s+"/;
const TAG = /^\s*\[\s*([A-Za-z0-9][\w+#=:-]*)\s+"((?:[^"\\]|\\.)*)"\s*\]/;
/** A tag whose value has quotes that are not escaped. */
const ODD_TAG = /^\s*\[\s*([A-Za-z0-9][\w+#=:-]*)\s+"(.*?)"?\s*\]?\s*$/;
const RESULT_AT_END = /(^|\s)(1[-–—]0|0[-–—]1|1\/2[-–—]1\/2|\*)\s*$/;
const UNCLOSED = "A comment is not closed with “}”.";
export const TOO_DEEP = `Variations are nested more than ${MAX_NESTING} deep.`;

/** A game while its lines are read. */
class OpenGame {
  readonly tags = new Map<string, string>();
  readonly lines: string[] = [];
  inComment = false;
  isEnded = false;
  problem: string | null = null;
  #depth = 0;

  constructor(readonly line: number) {}

  /** Reads the tags that a line begins with and returns the rest of the line. */
  addTags(line: string): string {
    for (let rest = line; ; ) {
      const found = TAG.exec(rest) ?? ODD_TAG.exec(rest);
      if (!found) return rest;
      const [text, name = "", value = ""] = found;
      this.tags.set(name, value.replace(/\\(["\\])/g, "$1"));
      rest = rest.slice(text.length);
    }
  }

  addMoves(line: string) {
    const marks = /[{};()]/g;
    for (let found = marks.exec(line); found; found = marks.exec(line)) {
      const [mark] = found;
      if (this.inComment) this.inComment = mark !== "}";
      else if (mark === "{") this.inComment = true;
      else if (mark === "(") this.#nest(1);
      else if (mark === ")") this.#nest(-1);
      else if (mark === ";") {
        const comment = line.slice(found.index + 1).trim().replaceAll("}", ")");
        this.lines.push(`${line.slice(0, found.index)}{ ${comment} }`);
        return;
      }
    }
    this.lines.push(line);
    this.isEnded = !this.inComment && this.#depth === 0 && RESULT_AT_END.test(line);
  }

  closed(): GameText {
    if (this.inComment) this.problem ??= UNCLOSED;
    const { line, tags, problem } = this;
    return { line, tags, moves: this.lines.join("\n"), problem };
  }

  #nest(step: number) {
    this.#depth = Math.max(0, this.#depth + step);
    if (this.#depth > MAX_NESTING) this.problem = TOO_DEEP;
  }
}

/** The lines of a text, of which `\r\n` and `\n` end one. */
function* linesOf(text: string): Generator<string> {
  for (let at = text.startsWith("\ufeff") ? 1 : 0; at <= text.length; ) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? text.length : end);
    yield line.endsWith("\r") ? line.slice(0, -1) : line;
    if (end < 0) return;
    at = end + 1;
  }
}

/** Whether a line outside of a comment begins the next game. */
function beginsGame({ tags, lines, isEnded }: OpenGame, line: string, isTag: boolean): boolean {
  if (lines.length > 0) return isTag || isEnded;
  return isTag && tags.has("Event") && /^\s*\[\s*Event\s/.test(line);
}

/** The games of a text one after another, with `null` where the caller may pause. */
export function* scanGames(text: string): Generator<GameText | null> {
  let game: OpenGame | null = null;
  let number = 0;
  let wasBlank = true;
  for (const line of linesOf(text)) {
    if (++number % LINES_PER_STEP === 0) yield null;
    const isBlank = line.trim() === "";
    if (game?.inComment && !(wasBlank && /^\s*\[\s*Event\s+"/.test(line))) game.addMoves(line);
    else if (!isBlank && !line.startsWith("%")) {
      const isTag = TAG_LINE.test(line);
      if (game && (game.inComment || beginsGame(game, line, isTag))) {
        yield game.closed();
        game = null;
      }
      game ??= new OpenGame(number);
      const moves = isTag ? game.addTags(line) : line;
      if (moves.trim() !== "") game.addMoves(moves);
    }
    wasBlank = isBlank;
  }
  if (game) yield game.closed();
}
