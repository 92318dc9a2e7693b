/**
 * The other tabs that follow the same review. A duplicated tab has a copy of its original's record,
 * so both follow one job: only the last of them may delete it.
 */
import { onCleanup } from "solid-js";
import { newKey } from "./record";

/** `joined` asks the others to answer with `here`. */
interface Message {
  readonly type: "joined" | "here" | "left";
  readonly tab: string;
  /** The key of the review. */
  readonly key: string;
}

export function createFollowers() {
  const channel = new BroadcastChannel("kibitzer.review");
  const tab = newKey();
  const others = new Set<string>();
  let key: string | null = null;

  const tell = (type: Message["type"]) => {
    if (key !== null) channel.postMessage({ type, tab, key } satisfies Message);
  };
  function leave() {
    tell("left");
    key = null;
    others.clear();
  }

  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.key !== key) return;
    if (data.type === "left") others.delete(data.tab);
    else others.add(data.tab);
    if (data.type === "joined") tell("here");
  };
  addEventListener("pagehide", leave);
  onCleanup(() => {
    removeEventListener("pagehide", leave);
    leave();
    channel.close();
  });

  return {
    /** Follows the review with this key from now on, and no other one. */
    join(next: string) {
      leave();
      key = next;
      tell("joined");
    },
    /** Follows no review any more. */
    leave,
    /** Whether another tab follows the same review. */
    isShared: () => others.size > 0,
  };
}
