/** What the moves need after the first paint, as one file of the build. */
export { ForkChooser } from "./ForkChooser";
export { MoveMenu } from "./MoveMenu";
export { NoteEditor } from "./NoteEditor";
