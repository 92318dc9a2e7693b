/** The forms of the panel “Inspect”: each equals the server's response, and marks squares. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as steps from "./browser.mjs";
import {
  page, expectMarked, post, position, lastPly, play, open, expectCurrent, list, squareField,
  option, texts, flat, value, squareName, squaresOf, isInView,
} from "./inspect-steps.mjs";

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

test("the seven bitboards are the server's", async () => {
  await open("Seven bitboards");
  const { boards } = (await position()).views;
  assert.deepEqual(Object.fromEntries(await texts("Seven bitboards")), boards);
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
  const panel = page().getByRole("region", { name: "Inspect" });
  await panel.getByText("Checkmate: Black wins.").waitFor();
});
