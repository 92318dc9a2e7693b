/** Move numbers as books write them. */

/** The number before a move: `1.`, and `1…` before a move of Black that begins a text. */
export function moveNumber(ply: number, isFirst: boolean): string {
  const number = Math.ceil(ply / 2);
  if (ply % 2 === 1) return `${number}.`;
  return isFirst ? `${number}…` : "";
}
