/** Parts of the board that are loaded after the first paint, as one file of the build. */
export { PlayGrid } from "./PlayGrid";
export { PromotionChooser } from "./PromotionChooser";
export { readMove } from "./typed-move";
