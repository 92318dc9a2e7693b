/** Start of the page. */
import { render } from "solid-js/web";
import { App } from "./App";
import "./ui/load-file";
import { keepForOffline } from "./ui/offline";
import "./ui/theme.css";
import "./ui/layout.css";

const app = document.getElementById("app");
if (app) {
  app.replaceChildren();
  render(() => <App />, app);
}
keepForOffline();
