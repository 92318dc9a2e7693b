/** A line of the engine: its score, its moves as buttons, and a menu. */
import { createMemo, Index, Show } from "solid-js";
import { moveNumber } from "../tree/notation";
import { Menu, type Command } from "../ui/Menu";
import { sanText } from "../ui/san";
import type { Settings } from "../ui/settings";
import { scoreText, type Line } from "./protocol";
import type { ChosenMove, Restriction } from "./restriction";

interface Props {
  line: Line | undefined;
  /** The number of the line, from 0. */
  row: number;
  /** The ply of the position before the line. */
  ply: number;
  notation: Settings["notation"];
  /** The move of the line that the Tab key reaches. */
  focusIndex: number;
  onRestrict(kind: Restriction["kind"], move: ChosenMove): void;
}

export function LineRow(props: Props) {
  const moves = createMemo(() => props.line?.pv_san ?? []);
  return (
    <li class="line" aria-label={`Line ${props.row + 1}`}>
      <span class="line-score">{props.line ? scoreText(props.line.score) : ""}</span>
      <span class="pv" role="toolbar" aria-label={`Moves of line ${props.row + 1}`}>
        <Index each={moves()}>
          {(san, index) => (
            <PvMove
              san={san()}
              number={moveNumber(props.ply + index + 1, index === 0)}
              notation={props.notation}
              row={props.row}
              index={index}
              isReachable={Math.min(props.focusIndex, moves().length - 1) === index}
            />
          )}
        </Index>
      </span>
      <Show when={moves().length > 0}><RowMenu {...props} /></Show>
    </li>
  );
}

interface MoveProps {
  san: string;
  /** The move number before it, if it has one. */
  number: string;
  notation: Settings["notation"];
  row: number;
  index: number;
  isReachable: boolean;
}

/** A move as a button. It is inline text, which the browser lays out faster than real buttons. */
function PvMove(props: MoveProps) {
  const text = (san: string) => (props.number ? `${props.number} ${san}` : san);
  return (
    <>
      <span
        class="pv-move"
        role="button"
        data-row={props.row}
        data-index={props.index}
        tabIndex={props.isReachable ? 0 : -1}
        aria-label={props.notation === "figurines" ? text(props.san) : undefined}
      >{text(sanText(props.san, props.notation))}</span>
      {" "}
    </>
  );
}

function RowMenu(props: Pick<Props, "line" | "row" | "onRestrict">) {
  /** The first move when the menu was opened: the line may change while it is open. */
  let chosen: ChosenMove | null = null;
  const choose = (event: Event) => {
    const { line } = props;
    const isButton = (event.target as Element).closest("[aria-haspopup]") !== null;
    if (isButton && line) chosen = { uci: line.pv[0]!, san: line.pv_san[0]! };
  };
  const restrict = (kind: Restriction["kind"]) => chosen && props.onRestrict(kind, chosen);
  const commands: readonly Command[] = [
    { label: "Analyse only this move", run: () => restrict("only") },
    { label: "Analyse without this move", run: () => restrict("without") },
  ];
  return (
    <span class="line-menu" onClick={choose} onKeyDown={choose}>
      <Menu label="⋯" name={`More about line ${props.row + 1}`} commands={commands} />
    </span>
  );
}
