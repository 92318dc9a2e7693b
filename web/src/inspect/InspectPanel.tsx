/** The panel of the how programs see the position. */
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

export default function InspectPanel(_props: Props) {
  return <p class="hint">Inspect</p>;
}
