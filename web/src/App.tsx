/** The page: the stores, the views on them, and what connects them. */
import type { Color } from "chessops/types";
import { opposite } from "chessops/util";
import { createMemo, createSignal, onCleanup, onMount, Show, type JSX } from "solid-js";
import { Board } from "./board/Board";
import { drawingsOf, withDrawings, type Drawing } from "./board/drawings";
import { BoardMessageLine, MoveInput } from "./board/MoveInput";
import { outcomeText } from "./board/outcome";
import { createOverlays } from "./board/overlays";
import { useSounds } from "./board/use-sounds";
import type { DialogName } from "./Dialogs";
import { createClient } from "./engine/client";
import { EnginePanel } from "./engine/EnginePanel";
import { EngineStatus } from "./engine/EngineStatus";
import { EvalBar } from "./engine/EvalBar";
import { createEngine } from "./engine/store";
import { useEngine } from "./engine/view";
import { loadExplorer } from "./explore/load";
import { OpeningName } from "./explore/OpeningName";
import { PositionState } from "./explore/PositionState";
import { JudgementSlot } from "./review/JudgementSlot";
import { createLazyReview } from "./review/lazy";
import { useAddress } from "./tree/address";
import { useAnnouncements } from "./tree/announce";
import type { PictureCommand } from "./tree/game-commands";
import { GameMenu } from "./tree/GameMenu";
import { MoveList } from "./tree/MoveList";
import { readSession, useSession } from "./tree/session";
import { hasPlayers } from "./tree/players";
import { StepControls } from "./tree/StepControls";
import { createTreeStore } from "./tree/store";
import { Header, Links } from "./ui/Header";
import { late } from "./ui/late";
import { lazyView } from "./ui/lazy-view";
import { Loading, Tools, type Tool } from "./ui/Panel";
import { withPart } from "./ui/part";
import { createSettings } from "./ui/settings";
import { onKeyDown, useShortcuts } from "./ui/shortcuts";
import { Announcements, Toasts } from "./ui/toasts";

const AroundBoard = late(async () => (await import("./board/AroundBoard")).AroundBoard);

// The panels are loaded when they are opened first.
const ExplorePanel = lazyView(
  async () => (await import("./explore/ExplorePanel")).default, Loading,
);
const InspectPanel = lazyView(
  async () => (await import("./inspect/InspectPanel")).default, Loading,
);

/** Whether the link opens a panel: `#inspect=huffman` shows a form of the position. */
const isFormLinked = () => new URLSearchParams(location.hash.slice(1)).has("inspect");

export function App() {
  const settingsStore = createSettings();
  const { settings } = settingsStore;
  const session = readSession();
  const tree = createTreeStore(session?.tree, session?.current);
  const client = createClient();
  const engine = createEngine(client);
  const overlays = createOverlays();
  const [userOrientation, setUserOrientation] = createSignal(session?.orientation ?? "white");
  /** The side of the player who practises, which passes. */
  const [practiceSide, setPracticeSide] = createSignal<Color | null>(null);
  const orientation = () => practiceSide() ?? userOrientation();
  const orient = (color: Color) => {
    setPracticeSide(null);
    setUserOrientation(color);
  };
  const [dialog, setDialog] = createSignal<(() => JSX.Element) | null>(null);
  const [openTool, setOpenTool] = createSignal<string | null>(null);

  useAddress(tree, orient);
  const openLinked = () => isFormLinked() && setOpenTool("inspect");
  openLinked();
  addEventListener("hashchange", openLinked);
  onCleanup(() => removeEventListener("hashchange", openLinked));
  useSession(() => ({
    tree: tree.tree(), current: tree.current().id, orientation: userOrientation(),
  }));
  useAnnouncements(tree);

  const outcome = createMemo(() => outcomeText(tree.position()));
  useSounds(tree, settings, () => outcome() !== null);
  const explorer = loadExplorer({ tree, engine, client, overlays });
  const { review, load: loadReview } = createLazyReview(
    {
      tree, engine, client, orientation, showPracticeSide: setPracticeSide,
      isOpen: () => openTool() === "review", open: () => setOpenTool("review"),
    },
    () => openTool() === "review" || tree.current().parent !== null,
  );
  /** The board of a practice, in place of the tree's. */
  const scratch = () => review()?.practice.scratch() ?? null;
  const position = () => scratch()?.position ?? tree.position();
  const fen = () => scratch()?.fen ?? tree.current().fen;
  const lastMove = () => scratch()?.lastMove ?? tree.current().uci;
  const drawings = () => (scratch() ? [] : drawingsOf(tree.current().comments));
  /** Plays a move on the board. `false` if it is illegal. */
  const play = (uci: string): boolean => {
    if (!scratch()) return tree.play(uci);
    review()?.practice.play(uci);
    return true;
  };
  const silence = () => {
    if (scratch()) return "Hidden while you practise";
    return review()?.needsWorker() ? "Waits for the review" : null;
  };
  useEngine({
    engine, tree, overlays, settings: settingsStore, outcome, isSilent: () => silence() !== null,
  });
  const info = () =>
    engine.state.isHidden || scratch() ? undefined : engine.evaluation(tree.current().fen);
  const result = () => {
    const text = scratch() ? null : outcome();
    return text === null ? null : { text, winner: tree.position().outcome()?.winner ?? null };
  };

  const page = {
    tree, client, settings: settingsStore, orientation, onClose: () => setDialog(null),
  };
  const openDialog = (name: DialogName) => void withPart(
    "The dialog",
    async () => (await import("./Dialogs")).DIALOGS[name](page),
    (view) => setDialog(() => view),
  );
  const takePicture = (command: PictureCommand) => withPart(
    "The code for pictures", () => import("./pictures"), (part) => part[command]({
      fen: fen(), position: position(), lastMove: lastMove(), drawings: drawings(),
      orientation: orientation(), settings, tree: tree.tree(),
    }, client),
  );
  const panelProps = { tree, engine, client, overlays };
  const ReviewPanel = lazyView(async () => {
    const { ReviewPanel: Panel } = await import("./review/views");
    const loaded = await loadReview();
    return () => <Panel review={loaded} />;
  }, Loading);
  const tools: readonly Tool[] = [
    {
      id: "explore", label: "Explore", key: "e",
      view: () => <ExplorePanel {...panelProps} explorer={explorer()} />,
    },
    { id: "review", label: "Review", key: "r", view: () => <ReviewPanel /> },
    { id: "inspect", label: "Inspect", key: "i", view: () => <InspectPanel {...panelProps} /> },
  ];
  useShortcuts([
    { keys: ["?"], label: "Show this help", group: "Page", run: () => openDialog("help") },
    ...tools.map(({ id, label, key }) => ({
      keys: [key], label: `Open or close “${label}”`, group: "Panels" as const,
      run: () => setOpenTool(openTool() === id ? null : id),
    })),
  ]);
  onMount(() => document.addEventListener("keydown", onKeyDown));
  onCleanup(() => document.removeEventListener("keydown", onKeyDown));

  const draw = (drawings: readonly Drawing[]) => {
    const { id, comments } = tree.current();
    tree.annotate(id, { comments: withDrawings(comments, drawings) });
  };
  return (
    <>
      <Header onOpen={openDialog}>
        <GameMenu tree={tree} orientation={orientation()} onPicture={takePicture} />
      </Header>
      <main class="page" classList={{
        "with-tool": openTool() !== null, "with-players": hasPlayers(tree.tree().headers),
      }}>
        <div class="bar">
          <EvalBar info={info()} orientation={orientation()} outcome={result()} />
        </div>
        <Board
          fen={fen()}
          position={position()}
          lastMove={lastMove()}
          orientation={orientation()}
          coordinates={settings.coordinates === "on"}
          animation={settings.animation === "on"}
          overlays={overlays}
          drawings={drawings()}
          onMove={play}
          onDraw={draw}
        />
        <div class="under-board">
          <StepControls tree={tree} onFlip={() => orient(opposite(orientation()))} />
          <MoveInput
            fen={fen()}
            position={position()}
            onMove={play}
          />
          <BoardMessageLine position={position()} />
        </div>
        <AroundBoard tree={tree} position={position()} orientation={orientation()} />
        <div class="side" classList={{ "hides-moves": review()?.hidesMoves() ?? false }}>
          <EnginePanel
            engine={engine}
            fen={tree.current().fen}
            ply={tree.current().ply}
            outcome={silence() ?? outcome()}
            end={silence() === null ? result() : null}
            notation={settings.notation}
            orientation={orientation()}
            onPlay={tree.playLine}
          />
          <div class="position-line">
            <OpeningName explorer={explorer()} />
            <PositionState explorer={explorer()} outcome={outcome()} />
          </div>
          <JudgementSlot review={review()} overlays={overlays} />
          <MoveList
            tree={tree}
            notation={settings.notation}
            nags={(node) => review()?.nagsOf(node) ?? node.nags}
          />
          <Tools tools={tools} open={openTool()} onOpen={setOpenTool} />
        </div>
        <EngineStatus engine={engine} client={client} />
      </main>
      <nav class="foot" aria-label="Documents"><Links /></nav>
      <Show when={dialog()} keyed>{(view) => view()}</Show>
      <Toasts />
      <Announcements />
    </>
  );
}
