/** The comment on the shown move, for writing, and the button of the move's menu. */
import { createEffect, createMemo, createSignal, on, onCleanup, untrack } from "solid-js";
import { useCommentField } from "./keys";
import { moveText } from "./notation";
import { textOf, withText } from "./notes";
import type { NodeId } from "./node";
import type { TreeStore } from "./store";

interface Props {
  tree: TreeStore;
  onMenu(at: { x: number; y: number }): void;
}

export function NoteEditor(props: Props) {
  const store = props.tree;
  /** What is written and not kept yet. */
  const [draft, setDraft] = createSignal<{ id: NodeId; text: string } | null>(null);
  const text = createMemo(() => textOf(store.current().comments));
  const isStart = () => store.current().san === null;
  const name = () => moveText(store.current());

  /** Keeps the draft as one edit. Commands of programs in the comments stay. */
  const keepDraft = () => untrack(() => {
    const written = draft();
    setDraft(null);
    const node = written && store.tree().nodes.get(written.id);
    if (!node || written.text.trim() === textOf(node.comments)) return;
    store.annotate(node.id, { comments: withText(node.comments, written.text) });
  });
  createEffect(on(() => store.current().id, keepDraft, { defer: true }));
  window.addEventListener("pagehide", keepDraft);
  onCleanup(() => window.removeEventListener("pagehide", keepDraft));

  const onKey = (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }) => {
    const isEnd = event.key === "Escape" || (event.key === "Enter" && !event.shiftKey);
    if (!isEnd || event.isComposing) return;
    event.preventDefault();
    if (event.key === "Escape") setDraft(null);
    event.currentTarget.blur();
  };
  return (
    <div class="note-editor">
      <textarea
        rows={1}
        ref={useCommentField}
        aria-label={`Comment on ${name()}`}
        placeholder={`Comment on ${name()} (c)`}
        title="Enter keeps the comment, Shift+Enter begins a line, Escape leaves it as it was."
        value={draft()?.text ?? text()}
        onInput={({ currentTarget: { value } }) =>
          setDraft({ id: store.current().id, text: value })}
        onBlur={keepDraft}
        onKeyDown={onKey}
      />
      <button
        type="button"
        aria-haspopup="menu"
        aria-label={isStart() ? "Menu of the shown move" : `Menu of ${name()}`}
        title="Menu of this move (Shift+F10)"
        disabled={isStart()}
        onClick={({ currentTarget }) => {
          const { left, top } = currentTarget.getBoundingClientRect();
          props.onMenu({ x: left, y: top });
        }}
      >…</button>
    </div>
  );
}
