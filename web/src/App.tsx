/** The page: the stores, the views on them, and what connects them. */
import type { Color } from "chessops/types";
import { opposite } from "chessops/util";
import { createEffect, createMemo, createSignal, lazy, onCleanup, onMount } from "solid-js";
import { Board, squaresOf } from "./board/Board";
import { drawingsOf, withDrawings, type Drawing } from "./board/drawings";
import { BoardMessageLine, MoveInput } from "./board/MoveInput";
import { useMoveSounds } from "./board/move-sounds";
import { createOverlays } from "./board/overlays";
import { outcomeText } from "./board/outcome";
import { Dialogs, type DialogName } from "./Dialogs";
import { createClient } from "./engine/client";
import { EnginePanel } from "./engine/EnginePanel";
import { EvalBar } from "./engine/EvalBar";
import { statusText } from "./engine/status";
import { createEngine } from "./engine/store";
import { MoveList } from "./tree/MoveList";
import { createTreeStore } from "./tree/store";
import { Controls, type Control } from "./ui/Controls";
import { Header, Links } from "./ui/Header";
import { createSettings } from "./ui/settings";
import { onKeyDown, useShortcuts } from "./ui/shortcuts";
import { StatusLine } from "./ui/StatusLine";
import { Toasts } from "./ui/toasts";
import { Tools, type Tool } from "./ui/Panel";

// The panels are loaded when they are opened first.
const ReviewPanel = lazy(() => import("./review/ReviewPanel"));
const ExplorePanel = lazy(() => import("./explore/ExplorePanel"));
const InspectPanel = lazy(() => import("./inspect/InspectPanel"));

export function App() {
  const settingsStore = createSettings();
  const { settings } = settingsStore;
  const tree = createTreeStore();
  const client = createClient();
  const engine = createEngine();
  const overlays = createOverlays();
  const [orientation, setOrientation] = createSignal<Color>("white");
  const [dialog, setDialog] = createSignal<DialogName | null>(null);
  const [openTool, setOpenTool] = createSignal<string | null>(null);

  const info = () => engine.evaluation(tree.current().fen);
  const outcome = createMemo(() => outcomeText(tree.position()));

  createEffect(() => {
    const { fen } = tree.current();
    const [root, ...played] = tree.path();
    const moves = played.flatMap(({ uci }) => uci ?? []);
    engine.show(outcome() === null && root ? { key: fen, fen: root.fen, moves } : null);
  });
  createEffect(() => {
    const isShown = engine.state.isEnabled && settings.bestMoveArrow === "on" && !outcome();
    const best = isShown ? info()?.lines[0]?.pv[0] : undefined;
    const [orig, dest] = squaresOf(best ?? null);
    overlays.set(
      "bestMove",
      orig && dest ? { shapes: [{ orig, dest, brush: "blue" }], squares: new Map() } : null,
    );
  });

  const panelProps = { tree, engine, client, overlays };
  const tools: readonly Tool[] = [
    { id: "explore", label: "Explore", key: "e", view: () => <ExplorePanel {...panelProps} /> },
    { id: "review", label: "Review", key: "r", view: () => <ReviewPanel {...panelProps} /> },
    { id: "inspect", label: "Inspect", key: "i", view: () => <InspectPanel {...panelProps} /> },
  ];

  const draw = (drawings: readonly Drawing[]) => {
    const { id, comments } = tree.current();
    tree.annotate(id, { comments: withDrawings(comments, drawings) });
  };

  useMoveSounds(tree, settings);

  const flip = () => setOrientation(opposite);
  useShortcuts([
    { keys: ["ArrowLeft", "k"], label: "Step back", group: "Moves", run: tree.back },
    { keys: ["ArrowRight", "j"], label: "Step forward", group: "Moves", run: tree.forward },
    { keys: ["ArrowUp", "Home", "0"], label: "Go to the start", group: "Moves", run: tree.start },
    { keys: ["ArrowDown", "End", "$"], label: "Go to the end", group: "Moves", run: tree.end },
    { keys: ["Ctrl+z"], label: "Undo the last edit", group: "Moves", run: tree.undo },
    { keys: ["Ctrl+y", "Ctrl+Shift+z"], label: "Redo it", group: "Moves", run: tree.redo },
    { keys: ["f"], label: "Flip the board", group: "Board", run: flip },
    { keys: ["l"], label: "Start or pause the engine", group: "Engine", run: engine.toggle },
    { keys: ["?"], label: "Show this help", group: "Page", run: () => setDialog("help") },
    ...tools.map(({ id, label, key }) => ({
      keys: [key], label: `Open or close “${label}”`, group: "Panels" as const,
      run: () => setOpenTool(openTool() === id ? null : id),
    })),
  ]);
  onMount(() => document.addEventListener("keydown", onKeyDown));
  onCleanup(() => document.removeEventListener("keydown", onKeyDown));

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
      <Header onOpen={setDialog} />
      <main class="page" classList={{ "with-tool": openTool() !== null }}>
        <div class="bar"><EvalBar info={info()} orientation={orientation()} /></div>
        <Board
          fen={tree.current().fen}
          position={tree.position()}
          lastMove={tree.current().uci}
          orientation={orientation()}
          coordinates={settings.coordinates === "on"}
          animation={settings.animation === "on"}
          overlays={overlays}
          drawings={drawingsOf(tree.current().comments)}
          onMove={tree.play}
          onDraw={draw}
        />
        <div class="under-board">
          <Controls controls={controls} />
          <MoveInput fen={tree.current().fen} position={tree.position()} onMove={tree.play} />
          <BoardMessageLine position={tree.position()} />
        </div>
        <div class="side">
          <EnginePanel
            engine={engine}
            info={info()}
            ply={tree.current().ply}
            outcome={outcome()}
            onPlay={tree.play}
          />
          <MoveList tree={tree} />
          <Tools tools={tools} open={openTool()} onOpen={setOpenTool} />
        </div>
        <StatusLine
          state={engine.state.connection}
          text={statusText(engine.state)}
          problem={engine.state.problem}
        />
      </main>
      <nav class="foot" aria-label="Documents"><Links /></nav>
      <Dialogs
        open={dialog()}
        tree={tree}
        client={client}
        settings={settingsStore}
        orientation={orientation()}
        onClose={() => setDialog(null)}
      />
      <Toasts />
    </>
  );
}
