/** The review of a game and the judgement of moves, against the server at BOARD_URL. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parsePgn } from "chessops/pgn";
import { boardPage, click, expectMoves } from "./browser.mjs";
import { GAME, keepReview, newRecord, review, storedJob } from "./reviewed-game.mjs";

// The tests ask for a job that the server does not have.
const page = boardPage({ allowed: [/status of 4(0[134]|1[03]|2[29])/] });

/** A review takes seconds on an idle machine. Others may use this one, too. */
const SLOW_MS = 150_000;

const button = (name) => page().getByRole("button", { name });
const panel = () => page().locator(".tool.review");
const accuracies = () => page().locator(".players .strong").allInnerTexts();
const judgement = () => page().locator(".judgement");

async function play(...moves) {
  for (const move of moves) await click(page(), move.slice(0, 2), move.slice(2));
}

/** Opens a game of 40 moves and reviews it. */
async function reviewGame() {
  await keepReview(page(), newRecord());
  return finishReview();
}

async function finishReview() {
  await page().locator(".players .strong", { hasText: "%" }).first().waitFor({ timeout: SLOW_MS });
  return storedJob(page());
}

/** Stops the review and waits until the server has no work with it any more. */
async function stopReview() {
  const job = await storedJob(page());
  await button("Stop").click();
  await page().waitForFunction(
    async (path) => (await fetch(path)).status === 410, `/v1/games/${job}`,
  );
}

/** The numbers of the review as the server states them. */
const fromServer = (job) => review(page(), `/v1/games/${job}?pov=white`);

test("the review of a game of 40 moves shows the server's numbers", async () => {
  const job = await reviewGame();
  const { status, games: [game] } = await fromServer(job);
  assert.equal(status, "done");
  assert.equal(game.moves.length, GAME.length);
  const { white, black } = game.accuracy;
  assert.deepEqual(await accuracies(), [white, black].map((each) => `${each.toFixed(1)}%`));
  const { white: lost, black: other } = game.average_centipawn_loss;
  for (const [name, parity, loss] of [["Rosa", 1, lost], ["Karl", 0, other]]) {
    const own = (judgement) =>
      game.moves.filter((move) => move.judgement === judgement && move.ply % 2 === parity).length;
    const numbers = [loss.toFixed(0), ...["inaccuracy", "mistake", "blunder"].map(own)];
    const cells = page().locator(".players tr", { hasText: name }).locator("td:not(.strong)");
    assert.deepEqual(await cells.allInnerTexts(), numbers.map(String));
  }
  // At 1280 × 800 the numbers and the graph are in view, and the graph stays.
  const boxOf = (selector) => page().locator(selector).boundingBox();
  const frame = await boxOf(".tool.review");
  const isInside = ({ y, height }) => y >= frame.y && y + height <= frame.y + frame.height + 1;
  assert.ok(isInside(await boxOf(".players")) && isInside(await boxOf(".graph")));
  await panel().evaluate((scrolled) => scrolled.scrollTo(0, scrolled.scrollHeight));
  assert.ok(await panel().evaluate(({ scrollTop }) => scrollTop) > 50);
  assert.ok(isInside(await boxOf(".graph")), "the graph stays in view");
  // The winning chance of the review is not what the bar shows, and the panel says so.
  await panel().getByText("The winning chance is computed from the score alone").waitFor();
});

test("the graph states the server's scores and shows moves by click and by keys", async () => {
  const job = await reviewGame();
  const { games: [{ moves }] } = await fromServer(job);
  const points = page().getByRole("list", { name: "Winning chance of White" }).getByRole("button");
  const labels = await points.evaluateAll((all) => all.map((each) => each.ariaLabel));
  assert.equal(labels.length, moves.length);
  for (const [index, { san, after, judgement, win_chance }] of moves.entries()) {
    const minus = after.value < 0 ? "−" : after.value > 0 && after.type === "cp" ? "+" : "";
    const size = Math.abs(after.value);
    const score = after.type === "cp" ? `${minus}${(size / 100).toFixed(2)}` : `#${minus}${size}`;
    const kind = judgement ? ` ${judgement}` : "";
    const chance = `${Math.round(win_chance.after)}%`;
    const text = ` ${san}${kind}, ${score}, White's winning chance ${chance}`;
    assert.ok(labels[index].endsWith(text), `${labels[index]} has not ${text}`);
  }
  const marks = await page().locator(".plot .mark").count();
  assert.equal(marks, moves.filter((move) => move.judgement).length);
  const current = page().locator(".move[aria-current]");
  const point = (ply) => page().locator(`.point[data-ply="${ply}"]`);
  await point(12).click();
  await point(12).and(page().locator("[aria-current]")).waitFor();
  assert.match(await current.innerText(), /^a5/);
  await page().keyboard.press("ArrowRight");
  await point(13).and(page().locator("[aria-current]:focus")).waitFor();
  assert.match(await current.innerText(), /^c5/);
  await page().keyboard.press("Home");
  await point(1).and(page().locator("[aria-current]:focus")).waitFor();
  assert.match(await current.innerText(), /^d4/);
  await point(30).hover();
  await page().locator(".described", { hasText: /^15… a4/ }).waitFor();
});

test("keys and counts go to the mistakes, with Shift to those of one player", async () => {
  const job = await reviewGame();
  const { games: [{ moves }] } = await fromServer(job);
  const mistakes = moves.filter((move) => move.judgement);
  const shown = (ply) => page().locator(`.point[data-ply="${ply}"][aria-current]`).waitFor();
  await page().keyboard.press("n");
  await shown(mistakes[0].ply);
  await page().keyboard.press("n");
  await shown(mistakes[1].ply);
  await page().keyboard.press("p");
  await shown(mistakes[0].ply);
  // The next mistake of a player. The other player's one in between, if there is one, is left out.
  const nextOf = (isBlack) => mistakes.find(({ ply }) =>
    ply % 2 === (isBlack ? 0 : 1) && ply > mistakes[0].ply);
  const [next] = [nextOf(true), nextOf(false)].filter(Boolean).sort((a, b) => b.ply - a.ply);
  if (next.ply % 2 === 0) await page().keyboard.press("f");
  await page().keyboard.press("Shift+N");
  await shown(next.ply);
  const worst = [...mistakes].sort((a, b) => b.win_chance_loss - a.win_chance_loss)[0];
  const first = page().locator(".turning-points button").first();
  assert.ok((await first.innerText()).includes(`better: ${worst.best_san}`));
  await first.click();
  await shown(worst.ply);
  // The judgement of a reviewed move is the review's, however deep the engine looks.
  const loss = Math.round(worst.win_chance_loss);
  const ofReview = judgement().filter({ hasText: `${worst.san} loses ${loss}% winning chance` })
    .filter({ hasText: /^Review:/ });
  await ofReview.waitFor();
  await page().getByText(/^depth (1[4-9]|[2-9]\d)/).waitFor();
  await ofReview.waitFor();
  // Its glyphs are in the list without an edit. The user's own glyph wins.
  const nags = page().locator(".move .nag");
  assert.deepEqual(await nags.allInnerTexts(), mistakes.map((move) =>
    ({ inaccuracy: "?!", mistake: "?", blunder: "??" })[move.judgement]));
  await page().keyboard.press("1");
  const own = page().locator(".move[aria-current] .nag");
  await own.filter({ hasText: /^!$/ }).waitFor();
  assert.equal(await nags.count(), mistakes.length);
  await ofReview.waitFor();
  // After a reload they are there again, also before a move is shown.
  await page().keyboard.press("Control+z");
  await page().keyboard.press("ArrowUp");
  await page().reload();
  await nags.nth(mistakes.length - 1).waitFor();
});

/** What a PGN says of the moves: SAN, glyphs and evaluations, with all variations. */
function statedIn(pgn) {
  const of = ({ children }) => children.map((child) => ({
    san: child.data.san,
    nags: child.data.nags ?? [],
    evaluations: (child.data.comments ?? [])
      .flatMap((text) => text.match(/\[%eval [^\]]*\]/g) ?? []),
    next: of(child),
  }));
  return of(parsePgn(pgn)[0].moves);
}

test("the review goes into the moves as one edit, and the server's PGN is saved", async () => {
  const job = await reviewGame();
  const { games: [{ moves }] } = await fromServer(job);
  const variations = page().locator(".move.other");
  assert.equal(await variations.count(), 0);
  await button("Add to the moves").click();
  const judged = moves.filter((move) => move.judgement);
  const lines = page().locator(".variation");
  await page().waitForFunction(
    (count) => document.querySelectorAll(".variation").length === count,
    moves.filter((move) => move.judgement).length,
  );
  const exported = page().waitForEvent("download");
  await button("Game").click();
  await page().getByRole("menuitem", { name: "Download PGN" }).click();
  const own = readFileSync(await (await exported).path(), "utf8");
  assert.deepEqual(statedIn(own), statedIn(await review(page(), `/v1/games/${job}/pgn`)));
  await page().keyboard.press("Control+z");
  await page().waitForFunction(() => document.querySelectorAll(".move.other").length === 0);
  assert.equal(await lines.count(), 0);
  const saved = page().waitForEvent("download");
  await button("Download the reviewed PGN").click();
  const text = readFileSync(await (await saved).path(), "utf8");
  assert.equal(text, await review(page(), `/v1/games/${job}/pgn`));
  assert.match(text, /\[%eval /);
});

test("a review goes on after a reload, and a stop keeps what it has shown", async () => {
  await keepReview(page(), newRecord({ level: "deep" }));
  await page().locator(".point").first().waitFor({ timeout: SLOW_MS });
  await page().locator(".point").nth(5).waitFor({ timeout: SLOW_MS });
  const job = await storedJob(page());
  await page().reload();
  await page().locator(".point").nth(5).waitFor();
  assert.equal(await storedJob(page()), job);
  // What was done before says nothing about the time that is left.
  await panel().getByText(/^Moves done: \d+ of 80$/).waitFor();
  assert.equal(await page().locator(".move").count(), GAME.length);
  // The server deletes a stopped review.
  await stopReview();
  await button("Review again").waitFor();
  assert.ok(await page().locator(".point").count() > 0);
  // After a stop a reload begins nothing.
  await page().reload();
  await page().locator("cg-board piece").first().waitFor();
  assert.equal(await page().evaluate(() => sessionStorage.getItem("kibitzer.review")), null);
});

test("a game that is being sent when its review is stopped leaves no job", async () => {
  let release;
  let held = new Promise((resolve) => { release = resolve; });
  await page().route("**/v1/games", async (route) => {
    const wait = held;
    held = null;
    await wait;
    await route.continue();
  });
  await play("e2e4");
  await page().keyboard.press("r");
  await panel().locator(".hint", { hasText: /^[A-Z].* The server judges each move/ }).waitFor();
  await button("Review the game").click();
  await page().getByText("Sending the game…").waitFor();
  await button("Stop").click();
  // Another review begins before the server has answered.
  await play("e7e5");
  await button("Review the game").click();
  const job = await finishReview();
  const answer = page().waitForResponse((response) => response.url().endsWith("/v1/games"));
  release();
  const { id } = await (await answer).json();
  await page().waitForFunction(
    async (path) => (await fetch(path)).status === 410, `/v1/games/${id}`,
  );
  assert.equal((await fromServer(job)).status, "done");
  assert.equal(await storedJob(page()), job);
});

test("tabs have a review each, and a copy of a tab does not stop its original's", async () => {
  await keepReview(page(), newRecord({ level: "deep" }));
  const job = await storedJob(page());
  const opened = page().waitForEvent("popup");
  await page().evaluate(() => void window.open(location.href));
  const copy = await opened;
  await copy.locator(".point").first().waitFor({ timeout: SLOW_MS });
  assert.equal(await storedJob(copy), job);
  await copy.getByRole("button", { name: "Stop" }).click();
  await copy.getByRole("button", { name: "Review again" }).waitFor();
  await keepReview(copy, newRecord({ moves: GAME.slice(0, 4), level: "deep" }));
  assert.notEqual(await storedJob(copy), job);
  await copy.getByRole("button", { name: "Stop" }).click();
  await copy.close();
  assert.equal(await storedJob(page()), job);
  assert.equal((await fromServer(job)).status, "running");
  await stopReview();
});

test("a review that the server has lost says so and can begin again", async () => {
  await keepReview(page(), newRecord({ job: "0123456789abcdef0123456789abcdef", level: "deep" }));
  await panel().getByRole("alert").filter({ hasText: "no such review any more" }).waitFor();
  await button("Review again").click();
  await page().locator(".point").first().waitFor({ timeout: SLOW_MS });
  await stopReview();
});

test("without a game the panel says what to do", async () => {
  await page().keyboard.press("r");
  await panel().getByText("Play or paste a game first.").waitFor();
  await page().keyboard.press("n");
  await page().getByText("There is no such mistake.").waitFor();
});

test("a start position that the server refuses is named, and the moves stay", async () => {
  // Nine white pawns: the rules of the page allow them, the server does not.
  const fen = "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1";
  await keepReview(page(), newRecord({ fen, moves: ["e2e4"] }));
  await panel().getByRole("alert").filter({ hasText: "cannot review this game" }).waitFor();
  await expectMoves(page(), "e4");
});

test("a refusal is a sentence in the panel, and the game stays", async () => {
  const problem = { title: "Refused", detail: "the server says why" };
  let answer;
  await page().route("**/v1/games", (route) =>
    route.fulfill({
      status: answer.status, contentType: "application/problem+json",
      body: JSON.stringify({ ...problem, ...answer }),
    }));
  await play("e2e4");
  await page().keyboard.press("r");
  for (const [status, code, text] of [
    [401, "unauthorized", "The server needs a valid API key. Enter a valid key"],
    [403, "origin_refused", "The server says why."],
    [413, "job_too_large", "The game is too long for this server. The server says why."],
    [422, "invalid_pgn", "The server cannot review this game. The server says why."],
  ]) {
    answer = { status, code };
    await panel().getByRole("button", { name: /^Review/ }).click();
    const alert = panel().getByRole("alert").filter({ hasText: text });
    await alert.waitFor();
    const again = await button("Try again").count();
    assert.equal(again, status === 403 ? 1 : 0, code);
    assert.equal(/valid key/.test(await alert.innerText()), status === 401, code);
  }
  await expectMoves(page(), "e4");
});

test("a review that no key helps goes on with another try", async () => {
  await page().route("**/v1/games", (route) => route.fulfill({
    status: 403, contentType: "application/problem+json",
    body: JSON.stringify({ title: "Origin refused", status: 403, code: "origin_refused" }),
  }));
  await keepReview(page(), newRecord({ moves: GAME.slice(0, 4) }));
  await panel().getByRole("alert").filter({ hasText: "Origin refused." }).waitFor();
  await page().unroute("**/v1/games");
  await button("Try again").click();
  await finishReview();
  assert.equal(await button("Try again").count(), 0);
});

test("a finished review that is read again can be stopped and stays on the server", async () => {
  await keepReview(page(), newRecord({ moves: GAME.slice(0, 4) }));
  const job = await finishReview();
  await page().route("**/events?*", () => undefined);
  await page().reload();
  await page().locator("cg-board piece").first().waitFor();
  await page().keyboard.press("r");
  await button("Stop").click();
  await button("Review again").or(button("Review the game")).waitFor();
  await page().waitForTimeout(300);
  assert.equal((await fromServer(job)).status, "done");
  await page().unroute("**/events?*");
  await page().reload();
  await page().locator("cg-board piece").first().waitFor();
  assert.equal(await storedJob(page()), job);
  await page().keyboard.press("r");
  await finishReview();
});

test("a server that refuses for a time is asked again after its wait", async () => {
  let refusals = 0;
  await page().route("**/v1/games", async (route) => {
    if (refusals++ > 0) return route.continue();
    await route.fulfill({
      status: 429, headers: { "Retry-After": "3" }, contentType: "application/problem+json",
      body: JSON.stringify({
        title: "Too many requests", status: 429, code: "rate_limited",
        detail: "the rate limit is exceeded",
      }),
    });
  });
  await keepReview(page(), newRecord({ moves: ["f2f3", "e7e5", "g2g4", "d8h4"] }));
  await page().getByText("The server allows no more requests for now. The next try is in 3 s.")
    .waitFor();
  await finishReview();
  // A turning point that allows a mate says so.
  await page().locator(".turning-points button", { hasText: /g4.*allows mate in 1; better: / })
    .waitFor();
});

test("a review of another game can be shown in place of the tree", async () => {
  await page().evaluate((text) => sessionStorage.setItem("kibitzer.review", text),
    JSON.stringify({ ...newRecord({ moves: GAME.slice(0, 6) }), isDone: true, job: null }));
  await play("e2e4");
  await page().keyboard.press("r");
  await button("Show that game").click();
  await finishReview();
  assert.equal(await page().locator(".move").count(), 6);
  // On a phone the review follows the moves, without an empty place between them.
  await page().setViewportSize({ width: 320, height: 640 });
  const endOf = async (selector) => {
    const { y, height } = await page().locator(selector).last().boundingBox();
    return y + height;
  };
  const top = (await panel().boundingBox()).y;
  assert.ok(top - await endOf(".move") < 120, "the panel is near the last move");
  await page().setViewportSize({ width: 1280, height: 800 });
  await page().keyboard.press("Control+z");
  await expectMoves(page(), "e4");
});

test("practice asks for better moves, judges tries and counts them", async () => {
  const job = await reviewGame();
  const { games: [{ moves }] } = await fromServer(job);
  const own = moves.filter((move) => move.judgement && move.ply % 2 === 1);
  const feedback = page().locator(".feedback");
  const board = (color) => page().locator(`.cg-wrap.orientation-${color}`).waitFor();
  await page().keyboard.press("f");
  await board("black");
  await button("Practise White").click();
  await board("white");
  await page().getByText(`1 of ${own.length}`).waitFor();
  // Neither the engine nor the judgement gives the solution away.
  await page().getByText("Hidden while you practise").waitFor();
  assert.equal(await page().locator(".pv-move").count(), 0);
  const [{ uci, best, san }] = own;
  const tryMove = async (move) => {
    const { x, y, width } = await page().locator("cg-board").boundingBox();
    for (const square of [move.slice(0, 2), move.slice(2, 4)]) {
      await page().mouse.click(
        x + (square.charCodeAt(0) - 96.5) * width / 8, y + (8.5 - Number(square[1])) * width / 8,
      );
    }
  };
  // Moves elsewhere in the tree leave the practice, and a button goes back.
  await page().keyboard.press("Home");
  await page().getByText("The board shows another position.").waitFor();
  await play("a2a3");
  await button("Back to the mistake").click();
  await tryMove(uci);
  await feedback.filter({ hasText: `${san} was played in the game.` }).waitFor();
  await feedback.locator(".verdict.wrong svg").waitFor();
  await tryMove("f3h4");
  await feedback.filter({ hasText: /^Not this move\.Nh4 .* There is a better move\.$/ }).waitFor();
  await tryMove(best);
  await feedback.filter({ hasText: /^Right!.* is the best move\.$/ }).waitFor();
  await feedback.locator(".verdict.right svg").waitFor();
  await page().keyboard.press("Enter");
  for (let left = own.length - 1; left > 0; left--) {
    await page().getByText(`${own.length - left + 1} of ${own.length}`).waitFor();
    if (left === 1) {
      await button("Show the solution").click();
      await feedback.filter({ hasText: `The best move is ${own.at(-1).best_san}` }).waitFor();
      await button("Next").click();
    } else await button("Skip").click();
  }
  await page().getByText(`Better moves found at the first try: 0 of ${own.length}`).waitFor();
  // The board is turned back at the end.
  await board("black");
  await button("Back to the review").click();
  // Only the move that was played elsewhere is in the tree.
  assert.equal(await page().locator(".move").count(), GAME.length + 1);
  // The keys to the mistakes end a practice that is out of view.
  await button("Practise White").click();
  await board("white");
  await page().keyboard.press("r");
  await board("black");
  await page().keyboard.press("n");
  await page().locator(".move[aria-current]", { hasText: /[?!]/ }).waitFor();
  await page().keyboard.press("r");
  // The side of the practice is not kept with the tree.
  await button("Practise White").click();
  await board("white");
  await page().reload();
  await board("black");
});

test("the worst move is named above the graph, which covers what scrolls behind it", async () => {
  const job = await reviewGame();
  const { games: [{ moves }] } = await fromServer(job);
  const [worst] = moves.filter((move) => move.judgement)
    .sort((a, b) => b.win_chance_loss - a.win_chance_loss || a.ply - b.ply);
  const line = panel().locator(".worst");
  await line.filter({ hasText: worst.san }).filter({ hasText: worst.best_san }).waitFor();
  await page().setViewportSize({ width: 1366, height: 768 });
  const frame = await panel().boundingBox();
  for (const name of ["Practise White", "Practise Black"]) {
    const { y, height } = await button(name).boundingBox();
    assert.ok(y + height < frame.y + frame.height, name);
  }
  await panel().evaluate((scrolled) => scrolled.scrollTo(0, scrolled.scrollHeight));
  const { x, y } = await panel().boundingBox();
  const covers = await page().evaluate(
    (at) => document.elementFromPoint(...at).className, [x + 60, y + 4]);
  assert.equal(covers, "graph");
});

test("a move that is good but not the best is called good enough, and the end starts nothing anew",
  async () => {
    await reviewGame();
    await page().route("**/v1/judgement", (route) => route.fulfill({
      json: { judgement: null, win_chance_loss: 2 },
    }));
    await button("Practise White").click();
    await page().getByText(/^1 of \d+$/).waitFor();
    await page().locator(".cg-wrap.orientation-white").waitFor();
    const feedback = page().locator(".feedback");
    const { x, y, width } = await page().locator("cg-board").boundingBox();
    for (const square of ["f3", "h4"]) {
      await page().mouse.click(
        x + (square.charCodeAt(0) - 96.5) * width / 8, y + (8.5 - Number(square[1])) * width / 8,
      );
    }
    await feedback.filter({ hasText: /^Good enough\..*Best was/ }).waitFor();
    const place = await button("Next").first().boundingBox();
    const next = page().locator(".practice").getByRole("button", { name: "Next", exact: true });
    const skip = page().locator(".practice").getByRole("button", { name: "Skip" });
    const again = button("Practise again");
    await next.click();
    while (await again.count() === 0) await skip.or(next).first().click();
    const { x: left } = await again.boundingBox();
    assert.ok(left > place.x + place.width, "“Practise again” stands elsewhere");
  });

test("a blunder is judged at once, with its mate, but not while the engine pauses", async () => {
  await play("f2f3", "e7e5", "g2g4");
  await judgement().filter({
    hasText: /^\?\?\s*Blunder: g4 allows mate in 1 \(2… Qh4#\)\. Best was 2\. .+\.$/,
  }).waitFor();
  await page().locator("cg-container svg text", { hasText: "??" }).waitFor();
  await play("d8h4");
  await judgement().filter({ hasText: "Qh4# is the best move." }).waitFor();
  await page().keyboard.press("Home");
  await page().keyboard.press("l");
  await page().getByText("The engine is paused.").waitFor();
  await play("b1a3");
  await page().getByText("The engine is paused: the move is not judged.").waitFor();
});

test("a hidden engine judges nothing", async () => {
  await play("f2f3", "e7e5", "g2g4");
  await judgement().filter({ hasText: /Blunder: g4/ }).waitFor();
  await page().keyboard.press("z");
  await judgement().filter({ hasText: "The engine is hidden: the move is not judged." }).waitFor();
  await page().locator("cg-container svg text", { hasText: "??" }).waitFor({ state: "detached" });
  await play("d8h4");
  await judgement().filter({ hasText: "The engine is hidden: the move is not judged." }).waitFor();
  await page().keyboard.press("ArrowLeft");
  await page().keyboard.press("z");
  await judgement().filter({ hasText: /Blunder: g4/ }).waitFor();
});

test("a judgement that the server refuses is a sentence in its place", async () => {
  await page().route("**/v1/judgement", (route) => route.fulfill({
    status: 422, contentType: "application/problem+json",
    body: JSON.stringify({
      title: "Invalid request", status: 422, code: "invalid_request", detail: "the score is odd",
    }),
  }));
  await play("e2e4");
  await judgement().filter({ hasText: "The score is odd." }).waitFor();
});
