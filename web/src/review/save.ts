/** Files that the page saves. */

/** Lets the browser save a text under a name. */
export function saveText(name: string, text: string, type = "application/x-chess-pgn"): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
