/** The whole page as a place to drop a file on, and to paste a game. */
import { createSignal, onCleanup, Show } from "solid-js";

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/** Whether a field takes what is pasted. */
const isField = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest("input, textarea, [contenteditable], dialog") !== null;

export function DropZone(props: { onOpen(source: File | string): void }) {
  const [isOver, setOver] = createSignal(false);
  const onOver = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setOver(true);
  };
  const onLeave = (event: DragEvent) => {
    if (event.relatedTarget === null) setOver(false);
  };
  const onDrop = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer?.files[0];
    if (file) props.onOpen(file);
  };
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (isField(event.target) || text.trim() === "") return;
    event.preventDefault();
    props.onOpen(text);
  };
  document.addEventListener("dragover", onOver);
  document.addEventListener("dragleave", onLeave);
  document.addEventListener("drop", onDrop);
  document.addEventListener("paste", onPaste);
  onCleanup(() => {
    document.removeEventListener("dragover", onOver);
    document.removeEventListener("dragleave", onLeave);
    document.removeEventListener("drop", onDrop);
    document.removeEventListener("paste", onPaste);
  });
  return (
    <Show when={isOver()}>
      <div class="drop-zone">Drop the PGN file to open it</div>
    </Show>
  );
}
