/**
 * The players of a game above and below the board: name, rating, material and clock. Without a game
 * the material alone stands in the line under the board.
 */
import type { Chess } from "chessops/chess";
import type { Color } from "chessops/types";
import { opposite } from "chessops/util";
import { createMemo, For, Show } from "solid-js";
import { clockAt, playerOf } from "../tree/player-info";
import { hasPlayers } from "../tree/players";
import type { TreeStore } from "../tree/store";
import { surplusOf, surplusText, type Surplus } from "./material";
import { COLOR_NAMES } from "./squares";

interface Props {
  tree: TreeStore;
  position: Chess;
  orientation: Color;
}

export function Players(props: Props) {
  const surplus = createMemo((): Record<Color, Surplus> => {
    const { board } = props.position;
    return { white: surplusOf(board, "white"), black: surplusOf(board, "black") };
  });
  const row = (place: "above" | "below") => {
    const color = () => (place === "below" ? props.orientation : opposite(props.orientation));
    return <Row {...props} place={place} color={color()} surplus={surplus()[color()]} />;
  };
  return (
    <Show
      when={hasPlayers(props.tree.tree().headers)}
      fallback={<Balance orientation={props.orientation} surplus={surplus()} />}
    >
      {row("above")}
      {row("below")}
    </Show>
  );
}

interface RowProps extends Props {
  place: "above" | "below";
  color: Color;
  surplus: Surplus;
}

function Row(props: RowProps) {
  const tags = () => props.tree.tree().headers;
  const player = () => playerOf(tags(), props.color);
  const name = () => player().name ?? COLOR_NAMES[props.color];
  const clock = createMemo(() =>
    clockAt(tags(), props.color, props.tree.path(), props.tree.line()));
  const isToMove = () => props.position.turn === props.color && !props.position.isEnd();
  return (
    <div
      class={`player ${props.place}`}
      classList={{ "to-move": isToMove() }}
      role="group"
      aria-label={COLOR_NAMES[props.color]}
    >
      <span class={`disc ${props.color}`} title={isToMove() ? "To move" : undefined} />
      <span class="name" title={name()}>
        <Show when={player().title}><span class="title">{player().title}</span>{" "}</Show>
        {name()}
      </span>
      <Show when={player().rating}><span class="rating">({player().rating})</span></Show>
      <Show when={isToMove()}><span class="only-read">to move</span></Show>
      <Taken color={props.color} surplus={props.surplus} />
      <Show when={clock()}>
        <span class="clock" title="Clock"><span class="only-read">Clock </span>{clock()}</span>
      </Show>
    </div>
  );
}

/** The material of both sides, each with the name of its colour. */
function Balance(props: { orientation: Color; surplus: Record<Color, Surplus> }) {
  const sides = () => [opposite(props.orientation), props.orientation]
    .filter((color) => props.surplus[color].pieces.length > 0);
  return (
    <div class="balance" role="group" aria-label="Material">
      <For each={sides()}>
        {(color) => (
          <span class="side-material">
            <span aria-hidden="true">{COLOR_NAMES[color]}</span>
            <Taken color={color} surplus={props.surplus[color]} />
          </span>
        )}
      </For>
    </div>
  );
}

/** What a side has more, as the pieces that it has taken, with the points that it is ahead. */
function Taken(props: { color: Color; surplus: Surplus }) {
  const pieces = () => props.surplus.pieces
    .flatMap(({ role, count }) => Array.from({ length: count }, () => role));
  const label = () => `${COLOR_NAMES[props.color]}: ${surplusText(props.surplus)}`;
  return (
    <Show when={pieces().length > 0}>
      <span class="taken" role="img" aria-label={label()} title={label()}>
        <span class="cg-wrap">
          <For each={pieces()}>
            {(role, index) => (
              <piece
                class={`${role} ${opposite(props.color)}`}
                classList={{ next: pieces()[index() - 1] === role }}
              />
            )}
          </For>
        </span>
        <Show when={props.surplus.points > 0}>
          <span class="points">+{props.surplus.points}</span>
        </Show>
      </span>
    </Show>
  );
}
