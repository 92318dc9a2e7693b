/** Moves as text: the button of a move, and what stands between the moves of the main line. */
import { createMemo, For, Show } from "solid-js";
import { alternatives, variationLines, wordOf } from "./layout";
import { moveNumber, moveText } from "./notation";
import { clockOf, evaluationOf, glyphOf, textOf } from "./notes";
import { nodeOf, ROOT, type NodeId, type TreeNode } from "./node";
import type { TreeStore } from "./store";

/** What all parts of the list share. */
export interface ListContext {
  readonly store: TreeStore;
  /** SAN as the user reads it. */
  shown(san: string): string;
  /** The glyphs of a move as the list shows them. */
  nags(node: TreeNode): readonly number[];
  isCurrent(id: NodeId): boolean;
  /** Whether the Tab key stops at this move, which is one of the list. */
  isTabStop(id: NodeId): boolean;
}

interface Props {
  id: NodeId;
  context: ListContext;
}

/** The node of a view. A view that is about to go keeps the last one. */
const useNode = ({ id, context }: Props) =>
  createMemo<TreeNode>((last) => context.store.tree().nodes.get(id) ?? last!);

const isSame = (a: readonly unknown[], b: readonly unknown[]) => a === b || a.join() === b.join();

export function MoveButton(props: Props & { isMain?: boolean }) {
  const node = useNode(props);
  const clock = () => (props.isMain ? clockOf(node().comments) : null);
  const evaluation = () => (props.isMain ? evaluationOf(node().comments) : null);
  return (
    <button
      type="button"
      class="move"
      classList={{ other: !props.isMain }}
      data-move={props.id}
      tabindex={props.context.isTabStop(props.id) ? 0 : -1}
      aria-current={props.context.isCurrent(props.id) ? "true" : undefined}
    >
      <San san={node().san ?? ""} shown={props.context.shown(node().san ?? "")} />
      <For each={props.context.nags(node())}>{(nag) => <Nag nag={nag} />}</For>
      <Show when={evaluation() ?? clock()}>
        <span class="details">
          <Show when={evaluation()}><span title="Evaluation">{evaluation()}</span></Show>
          <Show when={clock()}><span title="Clock">{clock()}</span></Show>
        </span>
      </Show>
    </button>
  );
}

/** A move as the user reads it. Screen readers read the letters. */
function San(props: { san: string; shown: string }) {
  return (
    <Show when={props.shown !== props.san} fallback={props.san}>
      <span aria-hidden="true">{props.shown}</span>
      <span class="only-read">{props.san}</span>
    </Show>
  );
}

function Nag(props: { nag: number }) {
  const glyph = () => glyphOf(props.nag);
  return (
    <span class={`nag nag-${props.nag}`} title={glyph().name} role="img" aria-label={glyph().name}>
      {glyph().symbol}
    </span>
  );
}

function Comment(props: { comments: readonly string[] }) {
  const text = () => textOf(props.comments);
  return <Show when={text()}><span class="comment">{text()}</span></Show>;
}

/** The comments after a move of the main line, and the variations beside it. */
export function Interrupt(props: Props) {
  const node = useNode(props);
  const firsts = createMemo(
    () => (props.context.store.tree().nodes.has(props.id)
      ? alternatives(props.context.store.tree(), props.id) : []),
    [],
    { equals: isSame },
  );
  const lines = createMemo(() => variationLines(props.context.store.tree(), firsts()));
  const keys = createMemo(() => [...lines().keys()], [], { equals: isSame });
  const label = () => (props.id === ROOT ? "Before the game" : `After ${moveText(node())}`);
  return (
    <div class="interrupt" role="group" aria-label={label()}>
      <Comment comments={node().comments} />
      <For each={keys()}>
        {(first) => {
          const line = createMemo(() => lines().get(first));
          const words = createMemo(() => line()?.words ?? [], [], { equals: isSame });
          return (
            <div class="variation" style={{ "--depth": Math.min(line()?.depth ?? 0, 8) }}>
              <Comment
                comments={nodeOf(props.context.store.tree(), first).startingComments}
              />
              <For each={words()}>{(word) => <WordView word={word} context={props.context} />}</For>
            </div>
          );
        }}
      </For>
    </div>
  );
}

/** A move within a variation, with its number and its comment. */
function WordView(props: { word: string; context: ListContext }) {
  const { id, opens, closes, isNumbered } = wordOf(props.word);
  const node = useNode({ id, context: props.context });
  return (
    <>
      <span class="word">
        <Show when={opens}>(</Show>
        <Show when={isNumbered}><span class="number">{moveNumber(node().ply, true)}</span></Show>
        <MoveButton id={id} context={props.context} />
        <Show when={closes}>)</Show>
      </span>
      {" "}
      <Comment comments={node().comments} />
    </>
  );
}
