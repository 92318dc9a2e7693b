/** The forms that list squares or pieces: FEN, piece list, piece bytes, nibbles and the list. */
import { createEffect, createSignal, Show } from "solid-js";
import {
  byteItems, fenFieldItems, listSquareItems, listStateItems, nibbleAt, nibbleItems, pieceItems,
  placementItems,
} from "./board-items";
import { Cells } from "./Cells";
import { Copyable } from "./Copyable";
import { useInspect } from "./context";
import { Fields, NoFields } from "./Fields";
import { nibbleFields, pieceByteFields } from "./bit-fields";
import { onSteps } from "./follow";
import { squareName, type Square } from "./squares";

export function FenForm() {
  const { position } = useInspect();
  return (
    <>
      <Copyable label="FEN" value={position().fen} />
      <Copyable label="Shredder-FEN" value={position().shredder_fen} />
      <h4>Placement: a8 to h1</h4>
      <Cells label="Placement" layout="flow" items={placementItems(position().fen)} />
      <h4>Other fields</h4>
      <Cells label="Other fields" layout="table pairs" items={fenFieldItems(position())} />
    </>
  );
}

export function PieceListForm() {
  const { position } = useInspect();
  return (
    <>
      <Copyable label="JSON" value={JSON.stringify(position().views.pieces)} />
      <h4>{position().views.pieces.length} pieces</h4>
      <Cells label="Pieces" layout="table pieces" items={pieceItems(position().views)} />
    </>
  );
}

/** The square whose bits a form takes apart: the last one that was pointed at or chosen. */
function useSquare() {
  const { selection, tree } = useInspect();
  const [square, setSquare] = createSignal<Square | null>(null);
  createEffect(() => {
    const [marked] = selection.marks();
    if (marked !== undefined) setSquare(marked);
  });
  onSteps(tree, (after) => setSquare((last) => last && (after(last) ?? last)));
  return square;
}

export function PieceBytesForm() {
  const { position } = useInspect();
  const square = useSquare();
  const bytes = () => position().views.piece_bytes;
  return (
    <>
      <Copyable label="64 bytes" value={bytes().join(" ")} />
      <h4>a1 to h8, one byte for each square</h4>
      <Cells label="Piece bytes" layout="squares" items={byteItems(position().views)} />
      <h4>Bits of a byte</h4>
      <Show when={square() !== null} fallback={<NoFields />}>
        <Fields
          label={`Bits of ${squareName(square()!)}`}
          fields={pieceByteFields(bytes()[square()!] ?? 0, square()!)}
        />
      </Show>
    </>
  );
}

export function NibblesForm() {
  const { position } = useInspect();
  const square = useSquare();
  const nibbles = () => position().views.nibbles;
  return (
    <>
      <Copyable label="32 bytes, hex" value={nibbles()} />
      <h4>Byte 0 first; each byte has its higher square first</h4>
      <Cells label="Nibbles" layout="squares nibbles" items={nibbleItems(position().views)} />
      <h4>Bits of a nibble</h4>
      <Show when={square() !== null} fallback={<NoFields />}>
        <Fields
          label={`Bits of ${squareName(square()!)}`}
          fields={nibbleFields(nibbleAt(nibbles(), square()!), square()!)}
        />
      </Show>
    </>
  );
}

export function ListForm() {
  const { position } = useInspect();
  return (
    <>
      <Copyable label="JSON" value={JSON.stringify(position().views.list)} />
      <h4>Entries 0 to 63: a8 to h1</h4>
      <Cells label="Entries 0 to 63" layout="squares" items={listSquareItems(position().views)} />
      <h4>Entries 64 to 68</h4>
      <Cells label="Entries 64 to 68" layout="table triples" items={listStateItems(position())} />
    </>
  );
}
