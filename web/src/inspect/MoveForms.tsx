/** The forms of a move: its 16-bit code, the reversible instruction and the record. */
import { createMemo, createSignal, Show, type JSX } from "solid-js";
import { parseSquare } from "chessops/util";
import { bitsOf, moveFields } from "./bit-fields";
import { Cells } from "./Cells";
import { Copyable } from "./Copyable";
import { useInspect } from "./context";
import { Fields } from "./Fields";
import { instructionItems, recordItems } from "./move-items";
import { NoMove, Outcome, Problem, Waiting } from "./Notes";
import { Rows } from "./Rows";
import type { Item, Row } from "./selection";
import type { LegalMove, Ply } from "./server";

/** The last move, or what to do to have one. */
function LastMove(props: { what: string; children(ply: () => Ply): JSX.Element }) {
  const { requests, tree } = useInspect();
  const { lastMove } = requests;
  return (
    <Show when={tree.current().parent !== null} fallback={<NoMove what={props.what} />}>
      <Show when={lastMove.answer()} fallback={<Waiting of={lastMove} />}>
        {(ply) => (
          <div classList={{ old: lastMove.isOld() }} aria-busy={lastMove.isOld()}>
            <Problem of={lastMove} />
            {props.children(ply)}
          </div>
        )}
      </Show>
    </Show>
  );
}

const hex16 = (code: number) => `0x${code.toString(16).padStart(4, "0")}`;

function Code(props: { name: string; code: number }) {
  const fields = () => moveFields(props.code);
  return (
    <>
      <Copyable
        label={props.name}
        value={`${props.code} = ${hex16(props.code)} = ${bitsOf(fields())}`}
      />
      <h4>Bit 15 to bit 0</h4>
      <Fields label={`Fields of the code of ${props.name}`} fields={fields()} />
    </>
  );
}

export function MoveCodeForm() {
  const { requests, position, tree } = useInspect();
  const { legalMoves } = requests;
  const [uci, setUci] = createSignal<string | null>(null);
  const moves = () => legalMoves.answer() ?? [];
  /** The chosen legal move. Without a choice, the last move stands here, if there is one. */
  const chosen = createMemo((): LegalMove | undefined => {
    const isStart = tree.current().parent === null;
    return moves().find((move) => move.uci === uci()) ?? (isStart ? moves()[0] : undefined);
  });
  const items = (): Item[] => moves().map(({ san, uci: text, code, from, to }) => ({
    text: san, label: `${san}, ${text}: ${code}`,
    squares: [from, to].flatMap((name) => parseSquare(name) ?? []),
  }));
  return (
    <>
      <Show
        when={chosen()}
        fallback={
          <LastMove what="its code">
            {(ply) => <Code name={`${ply().san} (last move)`} code={ply().code} />}
          </LastMove>
        }
      >
        {(move) => <Code name={move().san} code={move().code} />}
      </Show>
      <h4>
        {moves().length} legal moves of
        {position().views.state.turn === "white" ? " White" : " Black"}
      </h4>
      <Outcome />
      <Show when={legalMoves.answer()} fallback={<Waiting of={legalMoves} />}>
        <Problem of={legalMoves} />
        <Cells
          label="Legal moves" layout="flow" items={items()}
          isChosen={(index) => moves()[index]?.uci === chosen()?.uci}
          onChoose={(index) => {
            const move = moves()[index]?.uci ?? null;
            setUci(move === uci() ? null : move);
          }}
        />
      </Show>
    </>
  );
}

export function InstructionForm() {
  return (
    <LastMove what="its instruction">
      {(ply) => (
        <>
          <Copyable label={ply().san} value={JSON.stringify(ply().instruction)} />
          <h4>{ply().instruction.length} entries</h4>
          <Cells
            label="Entries of the instruction" layout="table quads"
            items={instructionItems(ply().instruction)}
          />
        </>
      )}
    </LastMove>
  );
}

export function RecordForm() {
  const rows = ({ record }: Ply): Row[] => [
    { id: "start", name: "start", hex: record.start },
    { id: "end", name: "end", hex: record.end },
    ...(record.captured_bitboard
      ? [{ id: "captured", name: "captured bitboard", hex: record.captured_bitboard }]
      : []),
  ];
  return (
    <LastMove what="its record">
      {(ply) => (
        <>
          <Copyable label={ply().san} value={JSON.stringify(ply().record)} />
          <Rows label="Bitboards of the record" cards={rows(ply())} />
          <h4>Other members</h4>
          <Cells label="Other members" layout="table record" items={recordItems(ply().record)} />
        </>
      )}
    </LastMove>
  );
}
