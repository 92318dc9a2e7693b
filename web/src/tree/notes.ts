/** Annotations of moves: glyphs, and comments with the commands of programs in them. */

export interface Glyph {
  readonly nag: number;
  readonly symbol: string;
  readonly name: string;
}

/** Glyphs of moves. A move has at most one of them. The keys 1 to 6 set them. */
export const MOVE_GLYPHS: readonly Glyph[] = [
  { nag: 1, symbol: "!", name: "Good move" },
  { nag: 2, symbol: "?", name: "Mistake" },
  { nag: 3, symbol: "!!", name: "Brilliant move" },
  { nag: 4, symbol: "??", name: "Blunder" },
  { nag: 5, symbol: "!?", name: "Interesting move" },
  { nag: 6, symbol: "?!", name: "Inaccuracy" },
];

/**
 * Glyphs of the position after a move. It has at most one of them. Slight advantages are written
 * with two characters, because many fonts lack the usual ones.
 */
export const POSITION_GLYPHS: readonly Glyph[] = [
  { nag: 10, symbol: "=", name: "Equal position" },
  { nag: 13, symbol: "∞", name: "Unclear position" },
  { nag: 14, symbol: "+=", name: "White is slightly better" },
  { nag: 15, symbol: "=+", name: "Black is slightly better" },
  { nag: 16, symbol: "±", name: "White is better" },
  { nag: 17, symbol: "∓", name: "Black is better" },
  { nag: 18, symbol: "+−", name: "White is winning" },
  { nag: 19, symbol: "−+", name: "Black is winning" },
];

/** Other remarks. A move has any number of them. */
export const OTHER_GLYPHS: readonly Glyph[] = [
  { nag: 7, symbol: "□", name: "Only move" },
  { nag: 22, symbol: "⊙", name: "Zugzwang" },
  { nag: 146, symbol: "N", name: "Novelty" },
  { nag: 32, symbol: "↑↑", name: "Development" },
  { nag: 36, symbol: "↑", name: "Initiative" },
  { nag: 40, symbol: "→", name: "Attack" },
  { nag: 132, symbol: "⇆", name: "Counterplay" },
  { nag: 138, symbol: "⊕", name: "Time trouble" },
  { nag: 44, symbol: "=∞", name: "With compensation" },
  { nag: 140, symbol: "∆", name: "With the idea" },
];

const GROUPS = [MOVE_GLYPHS, POSITION_GLYPHS, OTHER_GLYPHS];
const KNOWN = new Map(GROUPS.flat().map((glyph) => [glyph.nag, glyph]));

/** Black's forms of glyphs that PGN has twice. */
const SAME_AS: Record<number, number> = {
  8: 7, 11: 10, 12: 10, 23: 22, 33: 32, 37: 36, 41: 40, 45: 44, 133: 132, 139: 138,
};

/** The glyph of a number, also of one without a symbol. */
export function glyphOf(nag: number): Glyph {
  const known = KNOWN.get(SAME_AS[nag] ?? nag);
  return known ?? { nag, symbol: `$${nag}`, name: `Annotation ${nag}` };
}

/** Adds a glyph in place of the one of its kind, or removes it. */
export function toggleGlyph(nags: readonly number[], nag: number): number[] {
  if (nags.includes(nag)) return nags.filter((present) => present !== nag);
  const rivals = [MOVE_GLYPHS, POSITION_GLYPHS].find((group) =>
    group.some((glyph) => glyph.nag === nag));
  const isRival = (present: number) => rivals?.some((glyph) => glyph.nag === present) ?? false;
  return [...nags.filter((present) => !isRival(present)), nag].sort((a, b) => a - b);
}

/** A command. It ends at the next bracket, so that no text is read twice. */
const COMMAND = /\[%[^\][]*\]/g;

/** The text of comments, without commands such as `[%clk 0:03:00]`. */
export function textOf(comments: readonly string[]): string {
  return comments
    .map((comment) => comment.split(COMMAND).map((part) => part.trim()).filter(Boolean).join(" "))
    .filter((text) => text !== "")
    .join("\n\n");
}

/** What a comment of PGN may hold: no closing brace, and nothing that looks like the next game. */
function writable(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replaceAll("}", ")")
    .replace(/(?<!\s)\s+(?=\[\s*Event\s)/g, (blanks) => blanks.replace(/\n\s*\n/, "\n"))
    .trim();
}

/** Comments with another text and the same commands. */
export function withText(comments: readonly string[], text: string): string[] {
  const commands = comments.flatMap((comment) => comment.match(COMMAND) ?? []);
  const written = [writable(text), ...commands].filter((part) => part !== "").join(" ");
  return written === "" ? [] : [written];
}

/** The argument of the last command of this name. */
function argument(comments: readonly string[], name: string): string | null {
  const commands = comments.join(" ").matchAll(new RegExp(`\\[%${name}\\s([^\\][]*)\\]`, "g"));
  return [...commands].at(-1)?.[1]?.trim() ?? null;
}

/** The clock after a move, as comments have it: `3:00`, `1:30:00`. */
export function clockOf(comments: readonly string[]): string | null {
  return argument(comments, "clk")?.replace(/^0+:(?=\d+:)/, "").replace(/^0(?=\d)/, "") ?? null;
}

/** The evaluation in comments, from White's view: `+0.35`, `−1.20`, `#3`. */
export function evaluationOf(comments: readonly string[]): string | null {
  const [, mate = "", sign = "", value] =
    /^(#?)([+-]?)(\d+(?:\.\d+)?)/.exec(argument(comments, "eval") ?? "") ?? [];
  if (value === undefined) return null;
  const minus = sign === "-" ? "−" : "";
  if (mate) return `#${minus}${value}`;
  return `${minus || (Number(value) > 0 ? "+" : "")}${Number(value).toFixed(2)}`;
}
