/** The review of the page, whose code is loaded when it is needed first. */
import { createEffect, createSignal, getOwner, runWithOwner } from "solid-js";
import { keptRecord } from "./record";
import type { Review, ReviewParts } from "./store";

/**
 * Creates the review once `isNeeded`, or at once if one goes on after a reload. Until its code has
 * arrived, the result is `undefined`.
 */
export function createLazyReview(parts: ReviewParts, isNeeded: () => boolean) {
  const owner = getOwner();
  const [review, setReview] = createSignal<Review>();
  let isLoading = false;
  const load = async () => {
    isLoading = true;
    try {
      const { createReview } = await import("./views");
      setReview(() => runWithOwner(owner, () => createReview(parts)));
    } catch {
      // The server is gone: the next need tries again.
      isLoading = false;
    }
  };
  const record = keptRecord();
  if (record && !record.isDone) void load();
  createEffect(() => {
    if (isNeeded() && !isLoading) void load();
  });
  return review;
}
