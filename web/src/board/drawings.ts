/** Arrows and circles of the user, kept in the comments of a move as `[%cal …]` and `[%csl …]`. */
import type { DrawShape } from "@lichess-org/chessground/draw";
import type { Key } from "@lichess-org/chessground/types";

/** The colours by the letter that stands for each in a PGN. */
const BRUSHES = { G: "green", R: "red", B: "blue", Y: "yellow" } as const;
export type Brush = (typeof BRUSHES)[keyof typeof BRUSHES];
export const BRUSH_NAMES: readonly Brush[] = Object.values(BRUSHES);

export interface Drawing extends DrawShape {
  readonly brush: Brush;
}

/** A command with the blanks before it. No text is read twice, however long it is. */
const COMMAND = /(?<!\s)\s*\[%c[as]l\s[^\][]*\]/g;
const SHAPE = /\b([GRBY])([a-h][1-8])([a-h][1-8])?\b/g;

/** The drawings of a move. */
export function drawingsOf(comments: readonly string[]): Drawing[] {
  const commands = comments.flatMap((comment) => comment.match(COMMAND) ?? []);
  return commands.flatMap((command) =>
    [...command.matchAll(SHAPE)].map(([, letter, orig, dest]) => ({
      orig: orig as Key,
      ...(dest === undefined || dest === orig ? {} : { dest: dest as Key }),
      brush: BRUSHES[letter as keyof typeof BRUSHES],
    })));
}

const letterOf = (brush: string | undefined) =>
  Object.entries(BRUSHES).find(([, name]) => name === brush)?.[0] ?? "G";

/** A drawing as PGN and the server's pictures write it: `Ge2e4`, `Rd5`. */
export const codeOf = ({ orig, dest = "" as Key, brush }: DrawShape): string =>
  letterOf(brush) + orig + dest;

function commandsOf(shapes: readonly DrawShape[]): string {
  const circles = shapes.filter(({ dest }) => !dest).map(codeOf);
  const arrows = shapes.filter(({ dest }) => dest).map(codeOf);
  return (circles.length > 0 ? `[%csl ${circles.join(",")}]` : "") +
    (arrows.length > 0 ? `[%cal ${arrows.join(",")}]` : "");
}

/** The comments of a move with these drawings in place of its own. All other text stays. */
export function withDrawings(
  comments: readonly string[],
  shapes: readonly DrawShape[],
): readonly string[] {
  const drawn = comments.findIndex((comment) => comment.match(COMMAND) !== null);
  const at = drawn >= 0 ? drawn : Math.max(comments.length - 1, 0);
  const commands = commandsOf(shapes);
  const before = comments.length === 0 && commands !== "" ? [""] : comments;
  return before.flatMap((comment, index) => {
    const bare = comment.replace(COMMAND, "");
    const text = bare === comment ? bare : bare.trimStart();
    const added = index === at ? [commands, text].filter(Boolean).join(" ") : text;
    return added === "" && comment !== "" ? [] : [added];
  });
}

const isSame = (a: DrawShape, b: DrawShape) => a.orig === b.orig && a.dest === b.dest;

/** Adds a drawing, or recolours or removes the one in its place. */
export function toggled(shapes: readonly Drawing[], drawing: Drawing): Drawing[] {
  const others = shapes.filter((shape) => !isSame(shape, drawing));
  const isRemoved = shapes.some((shape) => isSame(shape, drawing) && shape.brush === drawing.brush);
  return isRemoved ? others : [...others, drawing];
}

export const sameDrawings = (a: readonly DrawShape[], b: readonly DrawShape[]) =>
  commandsOf(a) === commandsOf(b);
