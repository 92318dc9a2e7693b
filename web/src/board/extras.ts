/** What the board needs after the first paint, as one file of the build. */
export { PlayGrid } from "./PlayGrid";
export { PromotionChooser } from "./PromotionChooser";
export { readMove } from "./typed-move";
