/** The Zobrist key: its numbers, their exclusive or, and what the last move changed. */
import type { Color } from "chessops/types";
import { opposite } from "chessops/util";
import { createMemo, Show } from "solid-js";
import { xor } from "./bits";
import { Cells } from "./Cells";
import { Copyable } from "./Copyable";
import { useInspect } from "./context";
import { NoMove, Waiting } from "./Notes";
import type { Item } from "./selection";
import type { ZobristNumber } from "./server";
import { keyChange, squaresOfNumber } from "./zobrist";

export function ZobristForm() {
  const { position } = useInspect();
  return (
    <>
      <Copyable label="key" value={position().key} />
      <Show
        when={position().views.zobrist}
        fallback={<p class="hint">This server does not list the numbers of the key. A newer version
          has the view “zobrist”.</p>}
      >
        {(numbers) => (
          <>
            <h4>The last move changed</h4>
            <div class="update"><Update numbers={numbers()} /></div>
            <Numbers numbers={numbers()} />
          </>
        )}
      </Show>
    </>
  );
}

function Numbers(props: { numbers: readonly ZobristNumber[] }) {
  const { position } = useInspect();
  const items = (): Item[] =>
    props.numbers.map((number) => numberItem(number, "^", position().views.state.turn));
  const sum = () => xor(props.numbers.map(({ value }) => value));
  return (
    <>
      <h4>{props.numbers.length} numbers</h4>
      <Copyable label="JSON" value={JSON.stringify(props.numbers)} />
      <Cells label="Numbers of the key" layout="table numbers" items={items()} />
      <p class="total">
        Their exclusive or is <code>{sum()}</code>
        {sum() === position().key ? ", which is the key." : ", which is not the key."}
      </p>
    </>
  );
}

function numberItem(part: ZobristNumber, sign: string, turn: Color): Item {
  const { number, value, meaning } = part;
  return {
    text: [sign, value, String(number), meaning],
    label: `${sign} ${value}, ${number}, ${meaning}`, squares: squaresOfNumber(number, turn),
  };
}

/** The incremental update: the key before the move, the numbers that changed, the key after it. */
function Update(props: { numbers: readonly ZobristNumber[] }) {
  const { position, requests, tree } = useInspect();
  const before = requests.keyBefore;
  const items = createMemo((): Item[] => {
    const known = before.answer();
    if (!known) return [];
    const { turn } = position().views.state;
    const change = keyChange(known, props.numbers);
    const line = (sign: string, key: string, text: string): Item => ({
      text: [sign, key, "", text], label: `${sign} ${key}, ${text}`, squares: [], kind: "sum",
    });
    return [
      line("", known.key, "key before the move"),
      ...change.out.map((number) => numberItem(number, "^", opposite(turn))),
      ...change.in.map((number) => numberItem(number, "^", turn)),
      line("=", xor([known.key, ...[...change.out, ...change.in].map(({ value }) => value)]),
        "key after the move"),
    ];
  });
  return (
    <Show when={tree.current().parent !== null} fallback={<NoMove what="the change of the key" />}>
      <Show when={!before.isOld() && items().length > 0} fallback={<Waiting of={before} />}>
        <Cells label="Update of the key" layout="table numbers" items={items()} />
      </Show>
    </Show>
  );
}
