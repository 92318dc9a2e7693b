/**
 * The setup editor: any position by pointer, by keyboard or as a FEN. Its one state is the text of
 * the FEN; board and fields show it and write it. The server checks each text.
 */
import type { Color } from "chessops/types";
import { createEffect, createMemo, createSignal, on, onCleanup, Show } from "solid-js";
import { readFen } from "../tree/fen";
import { Dialog } from "../ui/Dialog";
import { checkHere, type CheckPosition, type FenField, type Verdict } from "./position-check";
import { isChess960, readSetup, writeSetup, type Setup } from "./setup";
import { errorSummary, faultSquares } from "./setup-errors";
import { SetupBoard } from "./SetupBoard";
import { isWrong, Notes, SetupFields } from "./SetupFields";
import { SetupStarts } from "./SetupStarts";
import "./setup.css";

interface Props {
  fen: string;
  orientation: Color;
  coordinates: boolean;
  check: CheckPosition;
  /** Called with the FEN of a legal position. */
  onAnalyse(fen: string, isChess960: boolean): void;
  onClose(): void;
}

/** The wait after a change before the server is asked. */
const CHECK_AFTER_MS = 200;

/** Goes to the field of an error and lets its sentence flash. */
function showError(form: HTMLFormElement, field: FenField) {
  const notes = form.querySelector(`#notes-${field}`);
  const described = form.querySelector(`[aria-describedby="notes-${field}"]`)
    ?? form.querySelector(".setup-board [role=gridcell][tabindex='0']");
  const focused = described?.matches("fieldset") ? described.querySelector("input") : described;
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  notes?.scrollIntoView({ block: "nearest" });
  notes?.animate([{ background: "var(--flash)" }, { background: "transparent" }], 1_500);
}

export default function SetupDialog(props: Props) {
  const [text, setText] = createSignal(props.fen);
  const [orientation, setOrientation] = createSignal(props.orientation);
  const [verdict, setVerdict] = createSignal<Verdict | null>(null);
  const setup = createMemo(() => readSetup(text()));
  const change = (changed: Setup) => setText(writeSetup(changed));

  let form!: HTMLFormElement;
  let running = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cancel = () => {
    clearTimeout(timer);
    running.abort();
  };
  /** Checks the present text. `null` if it was changed meanwhile. */
  const check = async (): Promise<Verdict | null> => {
    cancel();
    running = new AbortController();
    const { signal } = running;
    try {
      const found = await props.check(text(), signal);
      if (signal.aborted) return null;
      setVerdict(found);
      return found;
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  };
  createEffect(on(text, () => {
    cancel();
    timer = setTimeout(() => void check(), CHECK_AFTER_MS);
  }));
  onCleanup(cancel);

  const analyse = async () => {
    const found = await check();
    if (!found) return;
    if (found.errors.length > 0) return showError(form, found.errors[0]!.field);
    const read = readFen(text());
    if ("problem" in read) setVerdict(checkHere(text(), found.notice));
    else props.onAnalyse(read.fen, isChess960(setup()));
  };
  const status = () => {
    const found = verdict();
    if (!found) return "Checking the position…";
    const { errors, notice } = found;
    const result = errors.length === 0 ? "The position is legal." : errorSummary(errors);
    return notice ? `${notice} ${result}` : result;
  };
  const errorTexts = () => (verdict()?.errors ?? []).map(({ text: wrong }) => wrong).join(" ");

  return (
    <Dialog title="Set up position" class="wide" onClose={props.onClose}>
      <form
        class="setup"
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void analyse();
        }}
      >
        <div>
          <SetupBoard
            setup={setup()}
            orientation={orientation()}
            coordinates={props.coordinates}
            faults={isWrong(verdict(), "board") ? faultSquares(setup(), errorTexts()) : []}
            onChange={change}
          />
          <Notes verdict={verdict()} field="board" />
        </div>
        <div>
          <SetupStarts
            onLoad={change}
            onFlip={() => setOrientation((side) => (side === "white" ? "black" : "white"))}
          />
          <SetupFields setup={setup()} verdict={verdict()} onChange={change} />
        </div>
        <label class="fen">
          FEN
          <input
            value={text()}
            spellcheck={false}
            autocapitalize="off"
            aria-invalid={isWrong(verdict(), "fen")}
            aria-describedby="notes-fen"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <Notes verdict={verdict()} field="fen" />
        <footer>
          <p role="status" classList={{ error: (verdict()?.errors.length ?? 0) > 0 }}>
            {status()}{" "}
            <Show when={(verdict()?.errors.length ?? 0) > 1}>
              <span class="only-read">{errorTexts()}</span>
            </Show>
          </p>
          <button type="button" onClick={() => props.onClose()}>Cancel</button>
          <button type="submit" class="primary">Analyse</button>
        </footer>
      </form>
    </Dialog>
  );
}
