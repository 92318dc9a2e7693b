/** Start of the page. */
import { render } from "solid-js/web";
import { App } from "./App";
import "./ui/load-file";
import { keepForOffline } from "./ui/offline";
import { showPieces } from "./ui/pieces";
import { readSettings } from "./ui/settings";
import "./ui/theme.css";
import "./ui/layout.css";

/** Pieces that take longer do not hold up the page. */
const PIECES_WITHIN_MS = 1_000;

const app = document.getElementById("app");

function start(): void {
  if (!app) return;
  app.replaceChildren();
  render(() => <App />, app);
}

const late = new Promise((resolve) => { setTimeout(resolve, PIECES_WITHIN_MS); });
void Promise.race([showPieces(readSettings().pieces), late]).then(start, start);
keepForOffline();
