/** Parts of the tree that are loaded after the first paint, as one file of the build. */
export { DropZone } from "./DropZone";
export { gameCommands } from "./game-commands";
export { ForkChooser } from "./ForkChooser";
export { GameResult } from "./GameResult";
export { MoveMenu } from "./MoveMenu";
export { NoteEditor } from "./NoteEditor";
