/** The field for typed moves, and the line with the side to move or what is wrong. */
import type { Chess } from "chessops/chess";
import { createEffect, createMemo, on } from "solid-js";
import { useShortcuts } from "../ui/shortcuts";
import { boardMessage, clearMessage, tell } from "./message";
import { COLOR_NAMES } from "./squares";
import "./move-input.css";

interface Props {
  fen: string;
  position: Chess;
  /** Called with a legal move in UCI. */
  onMove(uci: string): void;
}

function turnText(position: Chess): string {
  if (position.isEnd()) return "The game is over";
  return `${COLOR_NAMES[position.turn]} to move${position.isCheck() ? ", in check" : ""}`;
}

export function MoveInput(props: Props) {
  let input!: HTMLInputElement;
  const fen = createMemo(() => props.fen);
  createEffect(on(fen, clearMessage, { defer: true }));
  useShortcuts([{ keys: ["m"], label: "Type a move", group: "Moves", run: () => input.focus() }]);

  // What reads a move is loaded after the first paint. Moves typed before wait in their order.
  const loaded = () => import("./extras");
  let last = Promise.resolve();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const text = input.value;
    input.value = "";
    last = last.then(() => play(text)).catch((error: Error) => {
      input.value ||= text;
      tell(`The code for typed moves could not be loaded. ${error.message}`, "error");
    });
  };
  const play = async (text: string) => {
    const { readMove } = await loaded();
    const { uci, problem } = readMove(props.position, text);
    if (problem === undefined) {
      props.onMove(uci);
      return;
    }
    // Back into the field, to be mended.
    input.value ||= text;
    tell(problem, "error");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    clearMessage();
    if (input.value === "") input.blur();
    input.value = "";
  };
  return (
    <form class="move-input" onSubmit={submit} autocomplete="off" noValidate>
      <label for="typed-move">Move</label>
      <input
        id="typed-move"
        ref={input}
        placeholder="Move"
        title="A move such as e4, Nf3, O-O or e2e4 (m)"
        enterkeyhint="go"
        spellcheck={false}
        autocapitalize="off"
        aria-invalid={boardMessage()?.kind === "error"}
        aria-describedby="board-message"
        onFocus={() => void loaded().catch(() => undefined)}
        onInput={clearMessage}
        onKeyDown={onKeyDown}
      />
    </form>
  );
}

export function BoardMessageLine(props: { position: Chess }) {
  return (
    <p id="board-message" class={`board-message ${boardMessage()?.kind ?? ""}`}>
      {boardMessage()?.text ?? turnText(props.position)}
    </p>
  );
}
