/** The review of the page, whose code is loaded when it is needed first. */
import { createEffect, createSignal, getOwner, runWithOwner } from "solid-js";
import { keptRecord } from "./record";
import type { Review, ReviewParts } from "./store";

/**
 * Creates the review once `isNeeded`, or at once if the tab has kept one. Until its code has
 * arrived, `review` is `undefined`. `load` is for views that need it and say why it failed.
 */
export function createLazyReview(parts: ReviewParts, isNeeded: () => boolean) {
  const owner = getOwner();
  const [review, setReview] = createSignal<Review>();
  let running: Promise<Review> | null = null;
  const load = (): Promise<Review> => {
    running ??= import("./views").then(({ createReview }) => {
      const created = runWithOwner(owner, () => createReview(parts))!;
      setReview(() => created);
      return created;
    });
    running.catch(() => {
      // The server is gone: the next need tries again.
      running = null;
    });
    return running;
  };
  // The move list shows the glyphs of a finished review, too.
  if (keptRecord()) void load();
  createEffect(() => {
    if (isNeeded() && !running) void load();
  });
  return { review, load };
}
