/** Pictures of the board that the server draws, and links to them. */
import type { Chess } from "chessops/chess";
import type { Color } from "chessops/types";
import { makeSquare } from "chessops/util";
import { codeOf, type Drawing } from "./board/drawings";
import { squaresOf } from "./board/move-squares";
import type { Client } from "./engine/client";
import { errorText } from "./engine/failure";
import { fileName } from "./tree/download";
import type { Tree } from "./tree/tree";
import { copyText } from "./ui/clipboard";
import { saveFile } from "./ui/save-text";
import type { Settings } from "./ui/settings";
import { toast } from "./ui/toasts";

/** What is on the board. */
export interface Picture {
  readonly fen: string;
  readonly position: Chess;
  readonly lastMove: string | null;
  readonly drawings: readonly Drawing[];
  readonly orientation: Color;
  readonly settings: Pick<Settings, "boardTheme" | "coordinates">;
  readonly tree: Tree;
}

type Type = "svg" | "png";

/** Sharp on most screens, and small enough for a message. */
const WIDTH_PX = 720;

/** A FEN for an address. */
const inAddress = (fen: string) => fen.replaceAll(" ", "_");

/** The path of the picture, with what differs from the server's defaults. */
export function picturePath(
  { fen, position, lastMove, drawings, orientation, settings }: Picture, type: Type,
): string {
  const checked = position.isCheck() ? position.board.kingOf(position.turn) : undefined;
  const parameters: Record<string, string> = {
    fen: inAddress(fen),
    orientation: orientation === "black" ? orientation : "",
    lastMove: squaresOf(lastMove).join(""),
    check: checked === undefined ? "" : makeSquare(checked),
    arrows: drawings.map(codeOf).join(","),
    coordinates: settings.coordinates === "on" ? "true" : "",
    colors: settings.boardTheme === "blue" ? "lichess-blue" : "",
    size: String(WIDTH_PX),
  };
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== "")
    // Slashes and commas may stand in a query, and an address without codes is readable.
    .map(([name, value]) => `${name}=${value}`);
  return `/board.${type}?${query.join("&")}`;
}

async function save(picture: Picture, client: Client, type: Type): Promise<void> {
  try {
    saveFile(fileName(picture.tree, type), await client.file(picturePath(picture, type)));
  } catch (error) {
    toast(`The picture could not be saved. ${errorText(error)}`, "error");
  }
}

export const saveSvg = (picture: Picture, client: Client) => save(picture, client, "svg");
export const savePng = (picture: Picture, client: Client) => save(picture, client, "png");

export async function copyPicture(picture: Picture, client: Client): Promise<void> {
  const link = location.origin + picturePath(picture, "png");
  const isCopied = await copyText(link, "The link to the picture was copied.");
  if (isCopied && client.key() !== null) {
    toast("The link is without your API key: if the server requires one, it opens for nobody.");
  }
}

/** Copies a link to the position, whose picture programs show where the link is sent. */
export async function copyPreview({ fen }: Picture): Promise<void> {
  const link = `${location.origin}/?fen=${inAddress(fen)}`;
  await copyText(link, "The link to the position was copied. Most chats show its picture.");
}
