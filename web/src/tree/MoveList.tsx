/** The moves of the tree: the shown line, with the other moves of each fork in brackets. */
import { createEffect, For, Show } from "solid-js";
import { moveNumber } from "./notation";
import type { TreeStore } from "./store";
import type { TreeNode } from "./tree";
import "./move-list.css";

export function MoveList(props: { tree: TreeStore }) {
  const tree = () => props.tree;
  let list!: HTMLOListElement;
  createEffect(() => {
    tree().current();
    const shown = list.querySelector<HTMLElement>("[aria-current]");
    // Not scrollIntoView, which would scroll the page, too.
    if (!shown) list.scrollTop = 0;
    else if (shown.offsetTop + shown.offsetHeight > list.scrollTop + list.clientHeight
      || shown.offsetTop < list.scrollTop) list.scrollTop = shown.offsetTop - list.clientHeight / 2;
  });
  const siblings = (node: TreeNode) =>
    (node.parent === null ? [] : tree().node(node.parent).children)
      .filter((id) => id !== node.id)
      .map((id) => tree().node(id));
  return (
    <section class="panel moves" aria-label="Moves">
      <ol class="move-list" ref={list}>
        <For
          each={tree().line().slice(1)}
          fallback={<li class="hint">Play a move on the board: drag a piece, or click it and then
            its target.</li>}
        >
          {(node) => (
            <li classList={{ white: node.ply % 2 === 1 }}>
              <Show when={node.ply % 2 === 1}>
                <span class="number">{moveNumber(node.ply, false)}</span>
              </Show>
              <button
                type="button"
                class="move"
                aria-current={node.id === tree().current().id ? "true" : undefined}
                onClick={() => tree().show(node.id)}
              >{node.san}</button>
              <For each={siblings(node)}>
                {(other) => (
                  <button
                    type="button"
                    class="move other"
                    title={`Variation ${moveNumber(other.ply, true)} ${other.san}`}
                    onClick={() => tree().show(other.id)}
                  >({other.san})</button>
                )}
              </For>
            </li>
          )}
        </For>
      </ol>
    </section>
  );
}
