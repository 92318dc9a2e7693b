import { Chess } from "chessops/chess";
import { parseFen } from "chessops/fen";
import { expect, test } from "vitest";
import { drawingsOf } from "./board/drawings";
import { picturePath, type Picture } from "./pictures";
import { newTree } from "./tree/tree";

const picture = (fen: string, members: Partial<Picture> = {}): Picture => ({
  fen, position: Chess.fromSetup(parseFen(fen).unwrap()).unwrap(), lastMove: null, drawings: [],
  orientation: "white", settings: { boardTheme: "green", coordinates: "off" },
  tree: newTree(fen), ...members,
});

test("a picture of a position alone has only its FEN and its size", () => {
  const path = picturePath(picture("8/8/8/8/8/2k5/1R6/7K w - - 0 1"), "svg");
  expect(path).toBe("/board.svg?fen=8/8/8/8/8/2k5/1R6/7K_w_-_-_0_1&size=720");
});

test("a picture has what the board shows: side, move, check, drawings, settings", () => {
  const path = picturePath(picture("4k3/8/8/8/8/8/4R3/4K3 b - - 0 1", {
    lastMove: "a2e2", orientation: "black", drawings: drawingsOf(["[%csl Rd5][%cal Ge2e8]"]),
    settings: { boardTheme: "blue", coordinates: "on" },
  }), "png");
  expect(path).toBe("/board.png?fen=4k3/8/8/8/8/8/4R3/4K3_b_-_-_0_1&orientation=black"
    + "&lastMove=a2e2&check=e8&arrows=Rd5,Ge2e8&coordinates=true&colors=lichess-blue&size=720");
});

test("a promotion marks its two squares", () => {
  const promoted = picture("1Q2k3/8/8/8/8/8/8/4K3 b - - 0 1", { lastMove: "b7b8q" });
  const path = picturePath(promoted, "svg");
  expect(path).toContain("&lastMove=b7b8&check=e8&");
});
