import { createRoot } from "solid-js";
import { expect, test } from "vitest";
import { createTreeStore, type TreeStore } from "./store";
import { annotate, newTree } from "./tree";

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

test("a line ends before its first illegal move, and many changes are one edit", () =>
  withStore((store) => {
    store.play("e2e4");
    const at = store.current().id;
    store.playLine(["e7e5", "g1f3", "nonsense"]);
    expect(moves(store)).toBe("e4 e5 Nf3");
    store.show(at);
    store.edit((tree) => annotate(annotate(tree, at, { nags: [1] }), at, { comments: ["Best"] }));
    expect(store.current()).toMatchObject({ nags: [1], comments: ["Best"] });
    store.undo();
    expect(store.current()).toMatchObject({ nags: [], comments: [] });
    store.undo();
    expect(moves(store)).toBe("e4");
    store.edit((tree) => tree);
    expect(store.canRedo()).toBe(true);
  }));

test("a fork has choices, and the chosen one is next", () => withStore((store) => {
  for (const moves of ["e2e4 e7e5", "e2e4 c7c5 g1f3", "e2e4 e7e6"]) {
    store.start();
    store.playLine(moves.split(" "));
  }
  store.show(1);
  expect(store.choices().map(({ san }) => san)).toEqual(["e5", "c5", "e6"]);
  expect(store.node(store.next()!).san).toBe("e6");
  store.choose(store.choices()[1]!.id);
  expect(moves(store)).toBe("e4 c5 Nf3");
  store.enterVariation();
  expect(store.current().san).toBe("c5");
  store.forward();
  expect(store.choices()).toEqual([]);
  store.leaveVariation();
  expect(store.current().san).toBe("e4");
  store.choose(store.choices()[0]!.id);
  store.enterVariation();
  expect(store.current().san).toBe("c5");
  store.start();
  store.leaveVariation();
  expect(store.current().ply).toBe(0);
}));

test("a variation is promoted and demoted from any of its moves", () => withStore((store) => {
  store.playLine(["e2e4", "e7e5"]);
  store.show(1);
  store.playLine(["c7c5", "g1f3"]);
  const last = store.current().id;
  store.promote(last);
  expect(store.node(1).children.map((id) => store.node(id).san)).toEqual(["c5", "e5"]);
  store.promote(last);
  store.demote(last);
  expect(store.node(1).children.map((id) => store.node(id).san)).toEqual(["e5", "c5"]);
  store.undo();
  store.undo();
  expect(store.node(1).children.map((id) => store.node(id).san)).toEqual(["e5", "c5"]);
  expect(store.current().id).toBe(last);
}));
