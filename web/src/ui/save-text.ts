/** Files that the page saves. */

/** Lets the browser save a file under a name. */
export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Lets the browser save PGN under a name. */
export const saveText = (name: string, text: string): void =>
  saveFile(name, new Blob([text], { type: "application/x-chess-pgn" }));
