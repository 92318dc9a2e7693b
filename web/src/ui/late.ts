/**
 * Views that are loaded right after the first paint. The page is usable earlier without them, and
 * they are there when the server is gone.
 */
import { lazy, type Component } from "solid-js";

/** Runs a function after the page and its first files have been shown. */
export function afterFirstPaint(run: () => void): void {
  requestAnimationFrame(() => setTimeout(run));
}

/** A view of a module that is loaded after the first paint. Without the server it stays away. */
export function late<View extends Component<any>>(load: () => Promise<View>): View {
  const LateView = lazy(async () => ({ default: await load() }));
  afterFirstPaint(() => {
    LateView.preload().catch(() => undefined);
  });
  return LateView as unknown as View;
}
