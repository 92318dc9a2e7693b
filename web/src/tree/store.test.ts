import { createRoot } from "solid-js";
import { expect, test } from "vitest";
import { createTreeStore, type TreeStore } from "./store";
import { newTree } from "./tree";

const withStore = (claim: (store: TreeStore) => void) =>
  createRoot((dispose) => {
    claim(createTreeStore());
    dispose();
  });
const moves = (store: TreeStore) => store.line().flatMap(({ san }) => san ?? []).join(" ");

test("stepping forward follows the line that was shown last", () => withStore((store) => {
  store.playLine(["e2e4", "e7e5"]);
  store.back();
  store.playLine(["c7c5", "g1f3"]);
  store.start();
  expect(moves(store)).toBe("e4 c5 Nf3");
  store.forward();
  store.forward();
  expect(store.current().san).toBe("c5");
}));

test("undo and redo take back every kind of edit and show where it was made", () =>
  withStore((store) => {
    store.playLine(["e2e4", "e7e5", "g1f3"]);
    const knight = store.current().id;
    store.annotate(knight, { comments: ["The main move"] });
    store.start();
    store.remove(knight);
    store.load(newTree("8/8/8/8/8/4k3/4p3/4K3 b - - 0 60"));
    store.undo();
    expect(moves(store)).toBe("e4 e5");
    store.undo();
    expect(store.node(knight).comments).toEqual(["The main move"]);
    store.undo();
    expect(store.node(knight).comments).toEqual([]);
    expect(store.current().id).toBe(knight);
    store.undo();
    expect(moves(store)).toBe("");
    expect(store.canUndo()).toBe(false);
    for (let times = 0; times < 4; times++) store.redo();
    expect(store.current().ply).toBe(119);
    expect(store.canRedo()).toBe(false);
  }));

test("a move that the tree has is shown without an edit", () => withStore((store) => {
  store.play("e2e4");
  store.start();
  store.undo();
  store.redo();
  store.start();
  expect(store.play("e2e4")).toBe(true);
  store.undo();
  expect(store.canUndo()).toBe(false);
}));
