/** The keys that step through the rows of a list. */

/** The row that a key goes to, or `null` for all other keys. */
export function rowAfter(key: string, row: number, last: number): number | null {
  switch (key) {
    case "ArrowDown": return Math.min(row + 1, last);
    case "ArrowUp": return Math.max(row - 1, 0);
    case "Home": return 0;
    case "End": return last;
    default: return null;
  }
}
