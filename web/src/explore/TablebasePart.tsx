/** The part of the panel about tablebases: the outcome of the position and of each move. */
import { createMemo, Show } from "solid-js";
import { createParts } from "./parts";
import type { Tablebase } from "./tablebase";
import { DISTANCE_NOTE, distanceText, itemsOf, outcomeText, ruleNote } from "./tablebase-texts";
import { TablebaseMoves } from "./TablebaseMoves";

interface Props {
  tablebase: Tablebase;
  /** Whether another part says already why requests fail. */
  isFailureShown: boolean;
  onPlay(moves: readonly string[]): void;
  onPoint(moves: readonly string[] | null): void;
}

export function TablebasePart(props: Props) {
  const answer = () => props.tablebase.answer();
  const present = () => (props.tablebase.isLoading() ? null : answer());
  const text = () => {
    const { tablebase } = props;
    if (tablebase.isLoading()) return "Loading…";
    return tablebase.problem() ?? tablebase.unavailable();
  };
  const items = createMemo(() => {
    const shown = answer();
    return shown && props.tablebase.unavailable() === null ? itemsOf(shown) : [];
  });
  const drawn = createParts(items);
  const play = (uci: string) => {
    if (present()) props.onPlay([uci]);
  };
  return (
    <section class="tablebase" aria-label="Tablebase" aria-busy={props.tablebase.isLoading()}>
      <p class="this-position">
        <b>Tablebase</b>
        <Show when={present()} fallback={<Why {...props} text={text()} />}>
          {(shown) => (
            <>
              <span class="outcome" title={ruleNote(shown().category)}>{outcomeText(shown())}</span>
              <Show when={distanceText(shown())}>
                {(distance) => <span class="distance" title={DISTANCE_NOTE}>{distance()}</span>}
              </Show>
            </>
          )}
        </Show>
      </p>
      <Show when={items().length > 0}>
        <TablebaseMoves
          items={drawn()}
          onPlay={play}
          onPoint={(uci) => props.onPoint(uci === null ? null : [uci])}
        />
      </Show>
    </section>
  );
}

/** What stands where the outcome is not known. */
function Why(props: Props & { text: string | null }) {
  const isAlert = () => props.tablebase.problem() !== null && !props.isFailureShown;
  return (
    <span
      classList={{ "explore-note": props.tablebase.problem() !== null }}
      role={isAlert() ? "alert" : undefined}
    >{props.text}</span>
  );
}
