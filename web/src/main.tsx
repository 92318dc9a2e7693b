/** Start of the page: the stores, the views on them, and the keys. */
import type { Chess } from "chessops/chess";
import type { Color } from "chessops/types";
import { opposite } from "chessops/util";
import { createEffect, createMemo, createSignal, onCleanup, onMount } from "solid-js";
import { render } from "solid-js/web";
import { Board } from "./board/Board";
import { EnginePanel } from "./engine/EnginePanel";
import { EvalBar } from "./engine/EvalBar";
import { createEngine } from "./engine/store";
import { MoveList } from "./tree/MoveList";
import { createTreeStore } from "./tree/store";
import { Controls, type Control } from "./ui/Controls";
import { StatusLine } from "./ui/StatusLine";
import "./ui/theme.css";
import "./ui/layout.css";

const COLOR_NAMES: Record<Color, string> = { white: "White", black: "Black" };

/** The result of a game that is over, as a sentence. */
function outcomeText(position: Chess): string | null {
  if (position.isCheckmate()) return `Checkmate: ${COLOR_NAMES[opposite(position.turn)]} wins`;
  if (position.isStalemate()) return "Stalemate: draw";
  if (position.isInsufficientMaterial()) return "Neither side can mate: draw";
  return null;
}

function App() {
  const tree = createTreeStore();
  const engine = createEngine();
  const [orientation, setOrientation] = createSignal<Color>("white");

  const info = () => engine.evaluation(tree.current().fen);
  const outcome = createMemo(() => outcomeText(tree.position()));
  const bestMove = () => {
    const isShown = engine.state.isEnabled && outcome() === null;
    return isShown ? (info()?.lines[0]?.pv[0] ?? null) : null;
  };

  createEffect(() => {
    const { fen } = tree.current();
    const [root, ...played] = tree.path();
    const moves = played.flatMap(({ san }) => san ?? []);
    engine.show(outcome() === null && root ? { key: fen, fen: root.fen, moves } : null);
  });

  const statusText = () => {
    const { connection, queued, isSearching, isEnabled } = engine.state;
    if (connection === "connecting") return "Connecting to the server…";
    if (connection === "waiting") return "The server cannot be reached. Trying again…";
    if (connection === "idle") return "Disconnected while idle. The next move connects again.";
    if (queued !== null) return `Connected. Waiting for a worker, place ${queued}.`;
    if (isSearching) return "Connected. The engine is searching.";
    return isEnabled ? "Connected." : "Connected. The engine is paused.";
  };

  const flip = () => setOrientation(opposite);
  const actions: Record<string, () => void> = {
    ArrowLeft: tree.back,
    ArrowRight: tree.forward,
    ArrowUp: tree.start,
    ArrowDown: tree.end,
    Home: tree.start,
    End: tree.end,
    f: flip,
    l: engine.toggle,
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLSelectElement || event.altKey) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const undo = event.shiftKey ? tree.redo : tree.undo;
    const action = isCommand ? { z: undo, y: tree.redo }[key] : actions[key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  onMount(() => document.addEventListener("keydown", onKey));
  onCleanup(() => document.removeEventListener("keydown", onKey));

  const isAtStart = () => tree.current().parent === null;
  const isAtEnd = () => tree.line().at(-1)?.id === tree.current().id;
  const controls: readonly Control[] = [
    { icon: "start", label: "Start (Home)", isDisabled: isAtStart, run: tree.start },
    { icon: "back", label: "Back (←)", isDisabled: isAtStart, run: tree.back },
    { icon: "forward", label: "Forward (→)", isDisabled: isAtEnd, run: tree.forward },
    { icon: "end", label: "End", isDisabled: isAtEnd, run: tree.end },
    { icon: "undo", label: "Undo (Ctrl+Z)", isDisabled: () => !tree.canUndo(), run: tree.undo },
    { icon: "redo", label: "Redo (Ctrl+Y)", isDisabled: () => !tree.canRedo(), run: tree.redo },
    { icon: "flip", label: "Flip the board (f)", isDisabled: () => false, run: flip },
  ];
  return (
    <>
      <header class="top">
        <h1>kibitzer</h1>
        <nav>
          <a href="/docs">API reference</a>
          <a href="/assets/licenses.md">Licences</a>
        </nav>
      </header>
      <main class="page">
        <div class="bar"><EvalBar info={info()} orientation={orientation()} /></div>
        <Board
          fen={tree.current().fen}
          position={tree.position()}
          lastMove={tree.current().uci}
          orientation={orientation()}
          bestMove={bestMove()}
          onMove={tree.play}
        />
        <div class="side">
          <EnginePanel
            engine={engine}
            info={info()}
            ply={tree.current().ply}
            outcome={outcome()}
            onPlay={tree.play}
          />
          <MoveList tree={tree} />
        </div>
        <Controls controls={controls} />
        <StatusLine
          state={engine.state.connection}
          text={statusText()}
          problem={engine.state.problem}
        />
      </main>
    </>
  );
}

const app = document.getElementById("app");
if (app) render(() => <App />, app);
