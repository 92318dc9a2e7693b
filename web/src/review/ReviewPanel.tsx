/** The panel of the whole-game review. */
import type { Client } from "../engine/client";
import type { Engine } from "../engine/store";
import type { Overlays } from "../board/overlays";
import type { TreeStore } from "../tree/store";

interface Props {
  tree: TreeStore;
  engine: Engine;
  client: Client;
  overlays: Overlays;
}

export default function ReviewPanel(_props: Props) {
  return <p class="hint">Review</p>;
}
