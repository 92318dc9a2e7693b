/** A game of 40 moves for the tests of the review, and the review that a tab keeps. */

/** The moves as the tree writes them: castling is king takes rook. */
export const GAME = `
  d2d4 d7d5 c2c4 e7e6 b1c3 f8e7 e2e3 c7c6 c1d2 a7a6 g1f3 a6a5 c4c5 g8f6 a2a3 b8d7 d1c2 e8h8 f1e2
  f8e8 e1h1 e7f8 f1d1 b7b6 c3a4 b6c5 a4c5 d7c5 d4c5 a5a4 d2c3 c8a6 c3d4 a6e2 c2e2 f6d7 e3e4 d7c5
  d4c5 f8c5 e2c2 d8b6 a1c1 c5f8 f3g5 h7h6 e4d5 h6g5 d5c6 e8e7 c2c3 a8c8 d1d7 c8c6 c3c6 b6c6 c1c6
  e7d7 f2f3 g8h7 c6c8 f8e7 c8a8 e7c5 g1f1 d7b7 h2h4 b7b3 a8a4 e6e5 h4g5 b3b2 a4c4 c5a7 c4e4 a7d4
  a3a4 b2f2 f1g1 f2d2
`.trim().split(/\s+/);

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

let lastKey = 0;

/** A review as the page keeps it before the server has answered. */
export const newRecord = ({ fen = START, moves = GAME, level = "quick", job = null } = {}) => ({
  game: { fen, moves }, headers: [["White", "Rosa"], ["Black", "Karl"]], level,
  key: `test-${process.pid}-${Date.now()}-${++lastKey}`, job, isDone: false,
});

/** Opens the page anew with a review that it goes on with: the shortest way to a long game. */
export async function keepReview(page, record) {
  const text = JSON.stringify(record);
  await page.evaluate((kept) => sessionStorage.setItem("kibitzer.review", kept), text);
  await page.reload();
  await page.locator("cg-board piece").first().waitFor();
}

/** The id of the job that the page keeps. */
export async function storedJob(page) {
  const kept = () => JSON.parse(sessionStorage.getItem("kibitzer.review"))?.job ?? null;
  return (await page.waitForFunction(kept)).jsonValue();
}

/** What the server says of a job. */
export const review = (page, path) =>
  page.evaluate(async (url) => {
    const response = await fetch(url);
    const isJson = response.headers.get("Content-Type").includes("json");
    return isJson ? response.json() : response.text();
  }, path);
