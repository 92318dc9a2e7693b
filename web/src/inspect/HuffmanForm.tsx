/** The Huffman code of the board, piece by piece, and the packed form that it is part of. */
import { createMemo } from "solid-js";
import { rightSquares } from "./bit-fields";
import { squaresOf } from "./bits";
import { Cells } from "./Cells";
import { Copyable } from "./Copyable";
import { useInspect } from "./context";
import {
  base64Bits, boardCodes, codeMeaning, codePlace, CODES, codesWithin, packedParts,
} from "./huffman";
import type { Item } from "./selection";
import { pieceName, squareName } from "./squares";

/** The bits of the version come before those of the squares. */
const VERSION_BITS = 4;

export function HuffmanForm() {
  const { position } = useInspect();
  const view = () => position().views.huffman;
  const codes = createMemo(() => boardCodes(view().board));
  const codeItems = (): Item[] => codes().map((code) => ({
    text: code.code, label: `${squareName(code.square)}: ${codeMeaning(code)}, ${codePlace(code)}`,
    squares: [code.square], ...(code.state === 0 ? { kind: "empty" } : {}),
  }));
  const counts = (): Item[] => CODES.map((code, state) => {
    const same = codes().filter((other) => other.state === state);
    const bits = same.length * code.length;
    const sum = `${same.length} × ${code.length} = ${bits}`;
    return {
      text: [code, pieceName(state), sum], label: `${code}, ${pieceName(state)}, ${sum} bits`,
      squares: same.map(({ square }) => square),
    };
  });
  const parts = (): Item[] =>
    packedParts(view().packed, view().board_bits, view().bits).map(({ name, bits, meaning }) => {
      const shown = name === "squares" ? "…" : bits;
      return {
        text: [shown, name, meaning], label: `${shown}, ${name}, ${meaning}`,
        squares: partSquares(name),
      };
    });
  function partSquares(name: string) {
    const rights = rightSquares(position());
    if (name === "castling KQkq") return [...new Set([...rights.values()].flat())];
    if (name.startsWith("rook of ")) return rights.get(name.at(-1) ?? "")?.slice(1) ?? [];
    if (name === "en passant" || name === "its file") {
      return squaresOf(position().views.bitboards.en_passant_position);
    }
    return [];
  }
  /** The squares with a bit in this many bits of the packed form. */
  const chunkItems = (chunks: readonly string[], width: number, name: string): Item[] =>
    chunks.map((text, index) => {
      const start = index * width - VERSION_BITS;
      const squares = codesWithin(codes(), start, start + width).map(({ square }) => square);
      const meant = squares.map(squareName).join(", ") || "no square";
      return { text, squares, label: `${name} ${index}: ${text}, ${meant}` };
    });
  const bytes = () => (base64Bits(view().packed).match(/.{8}/g) ?? [])
    .map((bits) => parseInt(bits, 2).toString(16).padStart(2, "0"));
  return (
    <>
      <p class="total">
        <strong>{view().board_bits} bits</strong> for the 64 squares
        {" "}(164 at the start), {view().bits} in the packed form, {bytes().length} bytes
      </p>
      <h4>Codes from a8 to h1</h4>
      <Cells label="Codes from a8 to h1" layout="flow codes" items={codeItems()} />
      <h4>Code table with the share of each piece</h4>
      <Cells label="Code table" layout="table shares" items={counts()} />
      <h4>Packed form</h4>
      <Copyable label="base64url" value={view().packed} />
      <Cells label="Parts of the packed form" layout="fields" items={parts()} />
      <h4>Bytes</h4>
      <Cells
        label="Bytes of the packed form" layout="flow" items={chunkItems(bytes(), 8, "byte")}
      />
      <h4>Characters: six bits each</h4>
      <Cells
        label="Characters of the packed form" layout="flow"
        items={chunkItems([...view().packed], 6, "character")}
      />
      <h4>Bits of the squares</h4>
      <Copyable label="board" value={view().board} />
    </>
  );
}
