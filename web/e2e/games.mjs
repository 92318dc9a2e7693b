/** Steps with games: opening a text, and the menu “Game”. */
/** Chooses a command of the menu “Game”. */
export async function gameMenu(page, command) {
  await page.getByRole("button", { name: "Game", exact: true }).click();
  await page.getByRole("menuitem", { name: command }).click();
}

/** Types a text into the dialog and presses its button. */
export async function paste(page, text) {
  await gameMenu(page, /^Paste/);
  await page.getByRole("textbox", { name: "PGN or FEN" }).fill(text);
  await page.getByRole("dialog").getByRole("button", { name: "Open", exact: true }).click();
}

/** Opens a game and waits until it is on the board. */
export async function openGame(page, text) {
  await paste(page, text);
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** A file with this text, for the file field of the page. */
export const fileOf = (name, text) =>
  ({ name, mimeType: "application/x-chess-pgn", buffer: Buffer.from(text) });

/** The moves of the list in the order of reading, the shown one in brackets. */
export const listedMoves = (page) =>
  page.evaluate(() => [...document.querySelectorAll(".move-list .move")].map((move) => {
    const san = move.firstChild.textContent;
    return move.ariaCurrent ? `[${san}]` : san;
  }).join(" "));

/** Waits until the list reads so. */
export async function expectListed(page, moves) {
  await page.waitForFunction((text) =>
    [...document.querySelectorAll(".move-list .move")].map((move) => {
      const san = move.firstChild.textContent;
      return move.ariaCurrent ? `[${san}]` : san;
    }).join(" ") === text, moves).catch(async (error) => {
    throw new Error(`the list reads “${await listedMoves(page)}”, not “${moves}”`,
      { cause: error });
  });
}
