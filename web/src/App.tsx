/** The page: the stores, the views on them, and what connects them. */
import type { Color } from "chessops/types";
import { opposite } from "chessops/util";
import {
  createEffect, createMemo, createSignal, lazy, Match, on, onCleanup, onMount, Suspense, Switch,
  untrack,
} from "solid-js";
import { Board, squaresOf } from "./board/Board";
import { drawingsOf, withDrawings, type Drawing } from "./board/drawings";
import { BoardMessageLine, MoveInput } from "./board/MoveInput";
import { createOverlays } from "./board/overlays";
import { outcomeText } from "./board/outcome";
import type { CheckPosition } from "./board/position-check";
import { createClient } from "./engine/client";
import { EnginePanel } from "./engine/EnginePanel";
import { EvalBar } from "./engine/EvalBar";
import { statusText } from "./engine/status";
import { createEngine } from "./engine/store";
import { MoveList } from "./tree/MoveList";
import { createTreeStore } from "./tree/store";
import { newTree } from "./tree/tree";
import { Controls, type Control } from "./ui/Controls";
import { HeaderButton, Links } from "./ui/Header";
import { createSettings } from "./ui/settings";
import { onKeyDown, useShortcuts } from "./ui/shortcuts";
import { StatusLine } from "./ui/StatusLine";
import { Toasts } from "./ui/toasts";
import { Tools, type Tool } from "./ui/Panel";

// The panels and dialogs are loaded when they are opened first.
const SetupDialog = lazy(() => import("./board/SetupDialog"));
const SettingsDialog = lazy(() => import("./ui/SettingsDialog"));
const HelpDialog = lazy(() => import("./ui/HelpDialog"));
const ReviewPanel = lazy(() => import("./review/ReviewPanel"));
const ExplorePanel = lazy(() => import("./explore/ExplorePanel"));
const InspectPanel = lazy(() => import("./inspect/InspectPanel"));

export function App() {
  const { settings, set: setSetting } = createSettings();
  const tree = createTreeStore();
  const client = createClient();
  const checkPosition: CheckPosition = async (fen, signal) =>
    (await import("./engine/check-position")).createPositionCheck(client)(fen, signal);
  const engine = createEngine();
  const overlays = createOverlays();
  const [orientation, setOrientation] = createSignal<Color>("white");
  const [dialog, setDialog] = createSignal<"setup" | "settings" | "help" | null>(null);
  const closeDialog = () => setDialog(null);
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

  createEffect(on(tree.current, ({ fen, san }, before) => {
    // Not for an edit that leaves the position as it is.
    if (settings.sounds === "off" || san === null || fen === before?.fen) return;
    const isEnd = untrack(outcome) !== null;
    void import("./ui/sounds").then(({ playSound, soundOf }) => playSound(soundOf(san, isEnd)));
  }, { defer: true }));

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

  const setUp = (fen: string, isChess960: boolean) => {
    tree.load(newTree(fen, new Map(isChess960 ? [["Variant", "Chess960"]] : [])));
    closeDialog();
  };

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
      <header class="top">
        <h1>kibitzer</h1>
        <HeaderButton icon="setup" label="Set up" onClick={() => setDialog("setup")} />
        <HeaderButton icon="settings" label="Settings" onClick={() => setDialog("settings")} />
        <HeaderButton icon="help" label="Help" shortcut="?" onClick={() => setDialog("help")} />
        <nav aria-label="Documents"><Links /></nav>
      </header>
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
      <Suspense>
        <Switch>
          <Match when={dialog() === "settings"}>
            <SettingsDialog settings={settings} onSet={setSetting} onClose={closeDialog} />
          </Match>
          <Match when={dialog() === "setup"}>
            <SetupDialog
              fen={tree.current().fen}
              orientation={orientation()}
              coordinates={settings.coordinates === "on"}
              check={checkPosition}
              onAnalyse={setUp}
              onClose={closeDialog}
            />
          </Match>
          <Match when={dialog() === "help"}><HelpDialog onClose={closeDialog} /></Match>
        </Switch>
      </Suspense>
      <Toasts />
    </>
  );
}
