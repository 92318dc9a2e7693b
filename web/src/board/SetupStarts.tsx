/** Whole positions for the setup editor: the start, the empty board and those of Chess960. */
import { INITIAL_FEN } from "chessops/fen";
import { createSignal, Show } from "solid-js";
import { CHESS960_COUNT, startPosition } from "./chess960";
import { EMPTY_SETUP, readSetup, type Setup } from "./setup";

interface Props {
  onLoad(setup: Setup): void;
  onFlip(): void;
}

const randomNumber = () => String(Math.floor(Math.random() * CHESS960_COUNT));

/** The number of a start position, or `null` if the text is none. */
function numberOf(text: string): number | null {
  const number = /^\d{1,3}$/.test(text.trim()) ? Number(text) : NaN;
  return number < CHESS960_COUNT ? number : null;
}

export function SetupStarts(props: Props) {
  const [white, setWhite] = createSignal("518");
  const [black, setBlack] = createSignal("518");
  const [isDouble, setDouble] = createSignal(false);
  const [problem, setProblem] = createSignal("");
  const load = () => {
    const numbers = isDouble() ? [white(), black()] : [white()];
    const wrong = numbers.find((text) => numberOf(text) === null);
    setProblem(wrong === undefined ? "" : `“${wrong}” is no start number; write 0 to 959.`);
    const [first, second] = numbers.map(numberOf);
    if (wrong === undefined) props.onLoad(startPosition(first ?? 0, second ?? first ?? 0));
  };
  const random = () => {
    setWhite(randomNumber());
    setBlack(randomNumber());
    load();
  };
  return (
    <div class="starts">
      <div class="buttons">
        <button type="button" onClick={() => props.onLoad(readSetup(INITIAL_FEN))}>
          Start position
        </button>
        <button type="button" onClick={() => props.onLoad(EMPTY_SETUP)}>Clear</button>
        <button type="button" onClick={() => props.onFlip()}>Flip</button>
      </div>
      <fieldset>
        <legend>Chess960</legend>
        <div class="buttons">
          <StartNumber label={isDouble() ? "White’s start number" : "Start number"}
            value={white()} isWrong={problem() !== ""} onInput={setWhite} onEnter={load} />
          <Show when={isDouble()}>
            <StartNumber label="Black’s start number"
              value={black()} isWrong={problem() !== ""} onInput={setBlack} onEnter={load} />
          </Show>
          <button type="button" onClick={load}>Place</button>
          <button type="button" onClick={random}>Random</button>
        </div>
        <label>
          <input
            type="checkbox"
            checked={isDouble()}
            onChange={(event) => setDouble(event.currentTarget.checked)}
          />
          Another number for Black
        </label>
        <p class="notes" id="notes-start" role="status"><span class="error">{problem()}</span></p>
      </fieldset>
    </div>
  );
}

interface NumberProps {
  label: string;
  value: string;
  isWrong: boolean;
  onInput(value: string): void;
  onEnter(): void;
}

function StartNumber(props: NumberProps) {
  return (
    <input
      inputmode="numeric"
      size="4"
      aria-label={props.label}
      title={`${props.label}, 0 to 959`}
      aria-invalid={props.isWrong}
      aria-describedby="notes-start"
      value={props.value}
      onInput={(event) => props.onInput(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        props.onEnter();
      }}
    />
  );
}
