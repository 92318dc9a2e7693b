/** The panel “how programs see it”: every form equals the server's response, and marks squares. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as steps from "./browser.mjs";
import { until } from "./own-server.mjs";

const { BOARD_URL } = process.env;
const page = steps.boardPage({ allowed: [/status of (422|429|503)/, /ERR_FAILED/] });

/** The squares of the board with a class, by their place on the screen with White below. */
const marked = (name) => page().evaluate((wanted) => {
  const board = document.querySelector(".page > .board cg-board").getBoundingClientRect();
  return [...document.querySelectorAll(`.page > .board square.${wanted}`)]
    .filter((square) => square.style.display !== "none")
    .map((square) => {
      const { left, top } = square.getBoundingClientRect();
      const file = Math.round(((left - board.left) / board.width) * 8);
      return "abcdefgh"[file] + (8 - Math.round(((top - board.top) / board.height) * 8));
    })
    .sort()
    .join(" ");
}, name);

/** Waits until the squares with a class are these. */
async function expectMarked(name, squares) {
  const wanted = squares.split(" ").filter(Boolean).sort().join(" ");
  for (let tries = 0; ; tries++) {
    const seen = await marked(name);
    if (seen === wanted) return;
    if (tries === 100) assert.equal(seen, wanted);
    await page().evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
}

async function post(path, body) {
  const response = await fetch(new URL(path, BOARD_URL), {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  });
  assert.equal(response.status, 200, await response.clone().text());
  return response.json();
}

const position = (...moves) => post("/v1/position", { fen: "startpos", moves });
const lastPly = async (...moves) =>
  (await post("/v1/play", { fen: "startpos", moves })).plies.at(-1);

async function play(...moves) {
  for (const move of moves) await steps.click(page(), move.slice(0, 2), move.slice(2));
}

/** Opens a form and waits until it shows the present position. */
async function open(name) {
  const panel = page().getByRole("region", { name: "Inspect" });
  if (!(await panel.isVisible())) await page().getByRole("button", { name: "Inspect" }).click();
  await page().getByRole("tab", { name, exact: true }).click();
  await expectCurrent();
}

/** Waits until all that is shown belongs to the position on the board. */
async function expectCurrent() {
  await page().locator(".inspect-form .values").waitFor();
  await page().locator(".inspect-form [aria-busy=true]").waitFor({ state: "detached" });
}

const list = (name) => page().getByRole("listbox", { name, exact: true });
const squareField = () => page().getByRole("textbox", { name: "Square", exact: true });
const option = (name) => page().getByRole("option", { name }).first();
/** The texts of a list: the columns of each row, or its one text. */
const texts = (name) => list(name).getByRole("option").evaluateAll((options) =>
  options.map((row) => [...row.querySelectorAll(":scope > span")].map((span) => span.textContent)));
const flat = async (name) => (await texts(name)).flat().join("");
const value = (label) =>
  page().locator(".copyable", { hasText: label }).locator("code").first().innerText();

const squareName = (square) => "abcdefgh"[square % 8] + (Math.floor(square / 8) + 1);
const squaresOf = (hex) =>
  Array.from({ length: 64 }, (_, square) => square)
    .filter((square) => (BigInt(`0x${hex}`) >> BigInt(square)) & 1n)
    .map(squareName).join(" ");

/** Whether the middle of an element is in the window, with nothing over it. */
const isInView = (selector) => page().locator(selector).first().evaluate((element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  const hit = document.elementFromPoint(x + width / 2, y + height / 2);
  return element.contains(hit) && y >= 0 && y + height <= innerHeight;
});

test("bitboards are the server's, in both bit orders", async () => {
  await play("e2e4");
  await open("Bitboards");
  const { bitboards } = (await position("e4")).views;
  // Board, panel and evaluation are in view.
  for (const part of [".inspect-panel", ".page > .board", ".engine .pv"]) {
    assert.ok(await isInView(part), part);
  }
  const cards = Object.fromEntries(await texts("Bitboards"));
  const isBoard = (name) => /^(white|black)_\w+s$|all|passant/.test(name);
  const names = Object.keys(bitboards).filter(isBoard);
  assert.equal(names.length, 16);
  for (const name of names) assert.equal(cards[name.replaceAll("_", " ")], bitboards[name]);
  const state = Object.fromEntries(await texts("State"));
  assert.equal(state.side, "black");
  assert.equal(state.white_king_side_castle, "true");

  await page().getByLabel("Bit 0 is").selectOption("a8");
  const other = await post("/v1/position", { fen: "startpos", moves: ["e4"], bit_order: "a8" });
  const swapped = Object.fromEntries(await texts("Bitboards"));
  for (const name of names) {
    assert.equal(swapped[name.replaceAll("_", " ")], other.views.bitboards[name]);
  }
});

test("a chosen bitboard is drawn on the board, bit by bit, and follows the moves", async () => {
  await open("Bitboards");
  await option(/^white pawns/).click();
  await expectMarked("inspect-set", "a2 b2 c2 d2 e2 f2 g2 h2");
  const bits = (await flat(/^Bits of white pawns/)).replaceAll(/[^01]/g, "");
  assert.equal(BigInt(`0b${bits}`), 0xff00n);
  await option("bit 12, e2: 1").click();
  await expectMarked("inspect-mark", "e2");
  await play("e2e4");
  await expectMarked("inspect-set", "a2 b2 c2 d2 e4 f2 g2 h2");
  await option(/^white pawns/).click();
  await expectMarked("inspect-set", "");
});

test("the seven bitboards are the server's", async () => {
  await open("Seven bitboards");
  const { boards } = (await position()).views;
  assert.deepEqual(Object.fromEntries(await texts("Seven bitboards")), boards);
});

test("a square chosen on the board is marked in a form, and a bit marks its square", async () => {
  await open("Piece bytes");
  await page().mouse.click(...(await steps.middleOf(page(), "b1")));
  await expectMarked("inspect-mark", "b1");
  assert.equal(await page().locator(".cells .marked").first().innerText(), "9");
  assert.equal(await squareField().inputValue(), "b1");
  await page().locator(".readout", { hasText: "b1: white knight" }).waitFor();
  // Pointing marks for as long as the mouse is there.
  await option(/^h8:/).hover();
  await expectMarked("inspect-mark", "h8");
  await page().mouse.move(5, 5);
  await expectMarked("inspect-mark", "b1");
  // The click has not disturbed the board: the knight was chosen, too, and can move.
  await page().mouse.click(...(await steps.middleOf(page(), "c3")));
  await steps.expectMoves(page(), "Nc3");
  // The choice goes with the knight, also where the move is taken back.
  await list("Bits of c3").waitFor();
  await page().keyboard.press("ArrowLeft");
  await list("Bits of b1").waitFor();
  await expectMarked("inspect-mark", "b1");
  assert.equal(await squareField().inputValue(), "b1");
});

test("piece bytes have the moved bit of the whole game", async () => {
  await play("g1f3", "g8f6", "f3g1", "f6g8");
  await open("Piece bytes");
  const { piece_bytes: bytes } = (await position("Nf3", "Nf6", "Ng1", "Ng8")).views;
  assert.equal(bytes[6], 11);
  assert.deepEqual((await texts("Piece bytes")).flat().map(Number), bytes);
  await option(/^g1:/).click();
  const fields = await texts("Bits of g1");
  assert.equal(fields.map(([bits]) => bits).join(""), "00001011");
  assert.deepEqual(
    fields.filter(([bits]) => bits === "1").map(([, name]) => name),
    ["knight", "has moved", "white"],
  );
});

test("the list of pieces, the nibbles and the 69 entries are the server's", async () => {
  await play("e2e4", "e7e5");
  const { views } = await position("e4", "e5");
  await open("Piece list");
  assert.deepEqual(JSON.parse(await value("JSON")), views.pieces);
  assert.deepEqual(
    await texts("Pieces"),
    views.pieces.map(({ color, type, position: at }) =>
      [String(at), squareName(at), `${color} ${type}`]),
  );
  await option(/^28, e4/).click();
  await expectMarked("inspect-mark", "e4");

  await open("Nibbles");
  assert.equal(await flat("Nibbles"), views.nibbles);
  // The chosen square is marked here, too.
  assert.equal(await page().locator(".cells .marked").first().innerText(), "3");
  assert.deepEqual((await texts("Bits of e4")).map(([bits]) => bits), ["001", "1"]);

  await open("69-entry list");
  const entries = (await texts("Entries 0 to 63")).flat();
  const rest = (await texts("Entries 64 to 68")).map(([, entry]) => entry);
  assert.deepEqual([...entries, ...rest], views.list.map(String));
  await option(/^entry 64/).click();
  await expectMarked("inspect-mark", "e1");
});

test("the FEN is taken apart, and a digit means its empty squares", async () => {
  await play("e2e4");
  await open("FEN");
  const { fen, shredder_fen } = await position("e4");
  assert.equal(await value("FEN"), fen);
  assert.equal(await value("Shredder-FEN"), shredder_fen);
  const fields = await texts("Other fields");
  assert.equal([await flat("Placement"), ...fields.map(([field]) => field)].join(" "), fen);
  await option(/^3: 3 empty squares/).click();
  await expectMarked("inspect-mark", "f4 g4 h4");
});

test("en passant is in the nine bits, the special byte and the packed form", async () => {
  await play("e2e4", "e7e6", "e4e5", "d7d5");
  const { views } = await position("e4", "e6", "e5", "d5");
  assert.equal(views.state.en_passant_file, 3);
  await open("Nine-bit state");
  const state = await texts("Fields of the nine bits");
  assert.equal(parseInt(state.map(([bits]) => bits).join(""), 2), views.state.bits);
  await option(/^011, file/).click();
  await expectMarked("inspect-mark", "d6");
  const members = Object.fromEntries(await texts("Members"));
  for (const [name, member] of Object.entries(views.state)) {
    assert.equal(members[name], String(member));
  }

  await open("Special byte");
  const special = await texts("Fields of the byte");
  assert.equal(parseInt(special.map(([bits]) => bits).join(""), 2), views.special);
  await option(/^1, K,/).click();
  await expectMarked("inspect-mark", "e1 h1");

  await open("Huffman code");
  const parts = await texts("Parts of the packed form");
  assert.deepEqual(parts.find(([, name]) => name === "its file"), ["011", "its file", "d"]);
});

test("the Huffman codes add up to 164 bits at the start, and each has its square", async () => {
  await open("Huffman code");
  const { huffman } = (await position()).views;
  await page().getByText("164 bits for the 64 squares").waitFor();
  const codes = (await texts("Codes from a8 to h1")).flat();
  assert.equal(codes.length, 64);
  assert.equal(codes.join(""), huffman.board);
  assert.equal(codes.join("").length, 164);
  const shares = (await texts("Code table")).map(([, , sum]) => Number(sum.split("= ")[1]));
  assert.equal(shares.reduce((sum, share) => sum + share), 164);
  assert.equal(await value("base64url"), huffman.packed);
  const bytes = Buffer.from(huffman.packed, "base64url").toString("hex");
  assert.equal(await flat("Bytes of the packed form"), bytes);
  assert.equal(await flat("Characters of the packed form"), huffman.packed);

  await option(/^d8: 110101/).click();
  await expectMarked("inspect-mark", "d8");
  await list("Code table").getByRole("option", { name: /^11110, white rook/ }).click();
  await expectMarked("inspect-mark", "a1 h1");
  // From the board to the bits: the code, the byte and the character with it.
  await squareField().fill("h1");
  const marks = (name) => list(name).locator(".marked").allInnerTexts();
  assert.deepEqual(await marks("Codes from a8 to h1"), ["11110"]);
  assert.equal((await marks("Bytes of the packed form")).length, 1);
});

test("a move's code is shown in bits, for the last move and for a legal one", async () => {
  await open("Move code");
  await page().getByText("20 legal moves of White").waitFor();
  await play("e2e4");
  const ply = await lastPly("e4");
  await page().locator(".copyable", { hasText: "e4 (last move)" }).waitFor();
  assert.match(await value("e4 (last move)"), new RegExp(`^${ply.code} = 0x31c1 = `));
  const bits = async (name) =>
    (await texts(`Fields of the code of ${name}`)).map(([field]) => field).join("");
  assert.equal(parseInt(await bits("e4 (last move)"), 2), ply.code);
  await option(/^011100, to/).click();
  await expectMarked("inspect-mark", "e4");

  const { moves } = await post("/v1/legal-moves", { fen: "startpos", moves: ["e4"] });
  const knight = moves.find(({ san }) => san === "Nf6");
  await option(/^Nf6,/).click();
  await page().locator(".copyable", { hasText: "Nf6" }).waitFor();
  assert.equal(parseInt(await bits("Nf6"), 2), knight.code);
  await expectMarked("inspect-mark", "f6 g8");
  // A square of the board marks the moves from and to it.
  await squareField().fill("d5");
  assert.deepEqual(await list("Legal moves").locator(".marked").allInnerTexts(), ["d5"]);
});

const CASTLING = ["g1f3", "g8f6", "g2g3", "g7g6", "f1g2", "f8g7", "e1g1"];

test("castling as the last move", async () => {
  await play(...CASTLING);
  const ply = await lastPly(...CASTLING);
  await open("Instruction");
  assert.equal(ply.instruction.length, 12);
  assert.deepEqual(JSON.parse(await value("O-O")), ply.instruction);
  assert.deepEqual(
    (await texts("Entries of the instruction")).map(([, entry]) => entry),
    ply.instruction.map(String),
  );
  await option(/^entry 8: 63, rook's origin/).click();
  await expectMarked("inspect-mark", "h1");

  await open("Move record");
  assert.deepEqual(JSON.parse(await value("O-O")), ply.record);
  const boards = Object.fromEntries(await texts("Bitboards of the record"));
  assert.deepEqual(boards, { start: ply.record.start, end: ply.record.end });
  await list("Bitboards of the record").getByRole("option", { name: /^end/ }).click();
  await expectMarked("inspect-set", "g1");
  const members = Object.fromEntries(await texts("Other members"));
  assert.equal(members.castle_type, "white_kingside");
  assert.equal(members.white_king_side_castle, "true");

  await open("Move code");
  await option(/^10, detail, castling short/).waitFor();
});

const CHESS960 = "1r2k3/8/8/8/8/8/8/RN2K1R1 w Gb - 0 1";

test("castling in Chess960 has the squares of king and rook", async () => {
  await page().getByRole("button", { name: "Set up" }).click();
  await page().getByLabel("FEN").fill(CHESS960);
  await page().getByRole("button", { name: "Analyse", exact: true }).last().click();
  await page().getByRole("dialog").waitFor({ state: "detached" });
  await open("Nine-bit state");
  await option(/^1, K,/).click();
  await expectMarked("inspect-mark", "e1 g1");
  await option(/^1, q,/).click();
  await expectMarked("inspect-mark", "b8 e8");
  await open("Huffman code");
  await list("Parts of the packed form").getByRole("option", { name: /^001, rook of q/ }).click();
  await expectMarked("inspect-mark", "b8");

  await play("e1g1");
  const { plies: [ply] } = await post("/v1/play", { fen: CHESS960, moves: ["e1g1"] });
  await open("Instruction");
  assert.deepEqual(JSON.parse(await value("O-O")), ply.instruction);
  await option(/^entry 2: 62, destination/).click();
  await expectMarked("inspect-mark", "g1");
  await option(/^entry 8: 62, rook's origin/).click();
  await expectMarked("inspect-mark", "g1");
  await option(/^entry 10: 61, rook's destination/).click();
  await expectMarked("inspect-mark", "f1");
  await open("Move record");
  assert.deepEqual(JSON.parse(await value("O-O")), ply.record);
  await open("Move code");
  await option(/^10, detail, castling short/).click();
  await expectMarked("inspect-mark", "e1 g1");
});

test("en passant as the last move", async () => {
  await play("e2e4", "e7e6", "e4e5", "d7d5", "e5d6");
  const ply = await lastPly("e4", "e6", "e5", "d5", "exd6");
  await open("Instruction");
  assert.deepEqual(JSON.parse(await value("exd6")), ply.instruction);
  await option(/^entry 8: 27, captured pawn's square/).click();
  await expectMarked("inspect-mark", "d5");
  await open("Move code");
  await option(/^01, detail, en passant/).waitFor();
  await open("Move record");
  const boards = Object.fromEntries(await texts("Bitboards of the record"));
  assert.equal(boards["captured bitboard"], ply.record.captured_bitboard);
});

const PROMOTION = ["a2a4", "b7b5", "a4b5", "a7a6", "b5a6", "c8b7", "a6b7", "h7h6"];

test("a promotion as the last move", async () => {
  await play(...PROMOTION, "b7a8");
  await page().getByRole("button", { name: "knight" }).click();
  await page().locator(".move", { hasText: "bxa8=N" }).waitFor();
  const ply = await lastPly(...PROMOTION, "b7a8n");
  await open("Instruction");
  assert.equal(ply.instruction.length, 13);
  assert.deepEqual(JSON.parse(await value("bxa8=N")), ply.instruction);
  await option(/^entry 12: 2, new piece, white knight/).click();
  await expectMarked("inspect-mark", "a8");
  await open("Move code");
  await option(/^00, detail, promotion to a knight/).waitFor();
  await option(/^1, capture/).waitFor();
});

test("checks and pins are drawn", async () => {
  const moves = ["e2e4", "e7e5", "g1f3", "d7d6", "f1b5"];
  await play(...moves);
  const { checks } = (await position(...moves)).views;
  await open("Checks and pins");
  const cards = Object.fromEntries(await texts("Checks and pins"));
  assert.deepEqual(cards, {
    checkers: checks.checkers, "check mask": checks.check_mask,
    "pins of White": checks.pins.white[8], "pins of Black": checks.pins.black[8],
  });
  await option(/^check mask/).click();
  await expectMarked("inspect-set", squaresOf(checks.check_mask));
  await play("b8c6");
  const after = (await position(...moves, "b8c6")).views.checks;
  await option(/^black south-west/).click();
  await expectMarked("inspect-set", squaresOf(after.pins.black[5]));
  await expectMarked("inspect-set", "b5 c6 d7");
  const rays = (await texts(/^Pin rays/)).map(([, hex]) => hex);
  assert.deepEqual(rays, [...after.pins.white.slice(0, 8), ...after.pins.black.slice(0, 8)]);
});

test("the Zobrist key, its numbers and their change", async () => {
  await play("e2e4", "e7e5");
  const before = await position("e4");
  const after = await position("e4", "e5");
  await open("Zobrist key");
  assert.equal(await value("key"), after.key);
  const numbers = await texts("Numbers of the key");
  assert.deepEqual(
    numbers.map(([, hex, number, meaning]) => ({ number: Number(number), value: hex, meaning })),
    after.views.zobrist,
  );
  await page().getByText(`Their exclusive or is ${after.key}, which is the key.`).waitFor();
  await list("Update of the key").waitFor();
  const update = await texts("Update of the key");
  assert.equal(update[0][1], before.key);
  assert.equal(update.at(-1)[1], after.key);
  // The pawn leaves e7 and comes to e5, and Black is not to move.
  assert.equal(update.length, 5);
  await list("Update of the key").getByRole("option", { name: /pawn on e7/ }).click();
  await expectMarked("inspect-mark", "e7");
});

test("magic bitboards show the look-up of a chosen slider", async () => {
  await play("e2e4", "e7e5");
  const { magics, bitboards } = (await position("e4", "e5")).views;
  await open("Magic bitboards");
  assert.equal(await list("Sliders").getByRole("option").count(), magics.length);
  await page().mouse.click(...(await steps.middleOf(page(), "f1")));
  const bishop = magics.find(({ square }) => square === "f1");
  await page().getByText("Look-up of the bishop f1").waitFor();
  const rows = Object.fromEntries(await texts("Steps of the look-up"));
  assert.equal(rows.occupied, bitboards.all_pieces);
  assert.equal(rows["& relevant"], bishop.relevant);
  assert.equal(rows["× magic"], bishop.magic);
  assert.equal(rows["= index"], String(bishop.index));
  assert.equal(rows.attacks, bishop.attacks);
  await list("Bitboards of the look-up").getByRole("option", { name: /^attacks/ }).click();
  await expectMarked("inspect-set", squaresOf(bishop.attacks));

  // The look-up goes with the bishop, forward and back, until the bishop is captured.
  const shown = (name) => page().getByText(`Look-up of the ${name}`, { exact: true }).waitFor();
  await page().mouse.click(...(await steps.middleOf(page(), "c4")));
  await shown("bishop c4");
  await expectMarked("inspect-mark", "c4");
  await page().keyboard.press("ArrowLeft");
  await shown("bishop f1");
  await expectMarked("inspect-mark", "f1");
  await page().keyboard.press("ArrowRight");
  await shown("bishop c4");
  await play("d7d5", "a2a3", "d5c4");
  await page().getByText("The bishop c4 is no longer there. Choose another piece").waitFor();
  await option("queen d1 as rook").click();
  await shown("queen d1 as rook");
  await play("h2h3", "h7h6");
  await expectCurrent();
  await shown("queen d1 as rook");
});

test("the end of a game is named where no move is left", async () => {
  for (const move of ["f3", "e5", "g4", "Qh4"]) {
    await page().getByLabel("Move", { exact: true }).fill(move);
    await page().keyboard.press("Enter");
  }
  await open("Move code");
  await page().getByRole("region", { name: "Inspect" }).getByText("Checkmate: Black wins.").waitFor();
});

test("a server without the newer views is named where they would stand", async () => {
  await page().route("**/v1/position", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    delete answer.views.zobrist;
    delete answer.views.magics;
    await route.fulfill({ response, json: answer });
  });
  await open("Zobrist key");
  await page().getByText("This server does not list the numbers of the key.").waitFor();
  await open("Magic bitboards");
  await page().getByText("This server does not show its magic bitboards.").waitFor();
});

test("everything is reached with keys alone", async () => {
  const press = (key) => page().keyboard.press(key);
  await press("i");
  await expectCurrent();
  await page().getByRole("tab", { name: "Bitboards", exact: true }).focus();
  await press("ArrowDown");
  await page().getByRole("heading", { name: /^Seven bitboards/ }).waitFor();
  await press("ArrowUp");
  // From the tabs to the values: the link of the form, then the cards.
  for (let stops = 0; stops < 10; stops++) {
    await press("Tab");
    if (await list("Bitboards").evaluate((node) => node === document.activeElement)) break;
  }
  await expectMarked("inspect-mark", "a2 b2 c2 d2 e2 f2 g2 h2");
  await press("ArrowRight");
  await expectMarked("inspect-mark", "b1 g1");
  await press("Enter");
  await expectMarked("inspect-set", "b1 g1");
  // The arrow keys have not moved through the game, and other keys still work.
  await press("f");
  await page().locator(".page > .board .orientation-black").waitFor();
  await press("f");
  await list(/^Bits of white knights/).focus();
  for (let bit = 63; bit > 57; bit--) await press("ArrowRight");
  await expectMarked("inspect-mark", "b8");
  await press("ArrowDown");
  await expectMarked("inspect-mark", "b4");
  await press("Enter");
  await squareField().focus();
  await press("ArrowUp");
  await press("ArrowRight");
  await expectMarked("inspect-mark", "c5");
  await press("Escape");
  await expectMarked("inspect-mark", "");
});

test("a square that is none is refused where it is typed", async () => {
  await open("Nibbles");
  await squareField().fill("k9");
  await page().getByText("“k9” is not a square; type a1 to h8.").waitFor();
  await squareField().fill("h8");
  await expectMarked("inspect-mark", "h8");
  assert.equal(await page().getByText("is not a square").count(), 0);
});

test("closing the panel clears the board", async () => {
  await open("Bitboards");
  await option(/^all pieces/).click();
  await squareField().fill("e4");
  await expectMarked("inspect-mark", "e4");
  await page().getByRole("button", { name: "Inspect" }).click();
  await expectMarked("inspect-set", "");
  await expectMarked("inspect-mark", "");
});

test("running through a game sends few requests, and going back sends none", async () => {
  const moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"];
  await play(...moves);
  await open("FEN");
  const showsFen = (fen) =>
    page().locator(".copyable code", { hasText: fen }).first().waitFor();
  const sent = [];
  page().on("request", (request) => {
    if (request.url().endsWith("/v1/position")) sent.push(request.postDataJSON());
  });
  const first = (await position()).fen;
  await page().evaluate(() => {
    for (let step = 0; step < 6; step++) {
      const press = new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true });
      document.body.dispatchEvent(press);
    }
  });
  await showsFen(first);
  assert.ok(sent.length <= 2, `${sent.length} requests`);
  const count = sent.length;
  await page().keyboard.press("End");
  await showsFen((await position(...moves)).fen);
  await page().keyboard.press("Home");
  await showsFen(first);
  assert.equal(sent.length, count);
});

test("a refusal for good is a sentence, and a press on “Try again” tries again", async () => {
  let refusals = 2;
  await page().route("**/v1/position", (route) => {
    if (refusals-- <= 0) return route.continue();
    return route.fulfill({
      status: 422, contentType: "application/problem+json",
      body: JSON.stringify({
        title: "Invalid FEN", status: 422, code: "invalid_fen", detail: "the position is odd",
      }),
    });
  });
  await page().getByRole("button", { name: "Inspect" }).click();
  const alert = page().getByRole("alert").filter({ hasText: "The position is odd." });
  await alert.waitFor();
  await page().getByRole("button", { name: "Try again" }).click();
  await until(() => refusals === 0, "the second refusal");
  await alert.waitFor();
  await page().getByRole("button", { name: "Try again" }).click();
  await list("Bitboards").waitFor();
  assert.equal(await alert.count(), 0);
});

test("after a refusal that passes, the page tries again by itself", async () => {
  const refusals = [
    { status: 429, code: "rate_limited", retry_after_ms: 800 },
    { status: 503, code: "queue_full" },
  ];
  await page().route("**/v1/position", (route) => {
    const refusal = refusals.shift();
    if (!refusal) return route.continue();
    return route.fulfill({
      status: refusal.status, contentType: "application/problem+json",
      body: JSON.stringify({ title: "Refused", detail: "says the server", ...refusal }),
    });
  });
  await page().getByRole("button", { name: "Inspect" }).click();
  for (const text of [
    "The server allows no more requests for now. The next try is in 1 s.",
    "The server is busy. The next try is in",
  ]) {
    await page().getByText(text).waitFor();
  }
  await list("Bitboards").waitFor();
});

test("without an answer the panel says so, keeps what it shows and tries again", async () => {
  await open("FEN");
  await page().route("**/v1/position", (route) => route.abort());
  await play("e2e4");
  const alert = page().getByRole("alert").filter({ hasText: "The server cannot be reached." });
  await alert.waitFor();
  assert.match(await value("FEN"), /^rnbqkbnr/);
  // Back to a position that is known.
  await page().keyboard.press("ArrowLeft");
  await alert.waitFor({ state: "detached" });
  await page().keyboard.press("ArrowRight");
  await alert.waitFor();
  await page().unroute("**/v1/position");
  await page().getByRole("button", { name: "Try again" }).click();
  await page().locator(".copyable code", { hasText: (await position("e4")).fen }).waitFor();
});

test("a game whose moves the server refuses is shown without them", async () => {
  await page().route("**/v1/position", (route) => {
    if (!route.request().postDataJSON().moves.length) return route.continue();
    return route.fulfill({
      status: 422, contentType: "application/problem+json",
      body: JSON.stringify({ title: "Illegal move", status: 422, code: "illegal_move" }),
    });
  });
  await play("e2e4");
  await open("FEN");
  await page().getByText("The server refused the moves up to here").waitFor();
  assert.match(await value("FEN"), /^rnbqkbnr\/pppppppp\/8\/8\/4P3/);
});

test("a link opens a form", async () => {
  await page().goto(new URL("/#inspect=huffman", BOARD_URL).href);
  await page().getByText("164 bits for the 64 squares").waitFor();
  await page().evaluate(() => { location.hash = "#inspect=nibbles"; });
  await list("Nibbles").waitFor();
  await page().goto(new URL("/#inspect=nonsense", BOARD_URL).href);
  await page().locator(".toast", { hasText: "There is no form “nonsense”. The forms are fen, bit" })
    .waitFor();
  await page().getByRole("tab", { name: "Nibbles", selected: true }).waitFor();
});

test("the panel fits a phone of 320 pixels, form by form", async () => {
  await page().setViewportSize({ width: 320, height: 640 });
  await play("e2e4");
  await page().getByRole("button", { name: "Inspect" }).click();
  await expectCurrent();
  const select = page().getByRole("combobox", { name: /^Form/ });
  const forms = await select.locator("option").evaluateAll((all) => all.map(({ value }) => value));
  assert.equal(forms.length, 16);
  for (const part of [".inspect-form header", ".page > .board", ".tool-buttons"]) {
    assert.ok(await isInView(part), part);
  }
  for (const form of forms) {
    await select.selectOption(form);
    await expectCurrent();
    const width = await page().evaluate(() => document.documentElement.scrollWidth);
    assert.equal(width, 320, form);
  }
});
