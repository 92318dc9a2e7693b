/**
 * The picture of the board in the README: a reviewed game at a blunder. Run it with the variables
 * of e2e/run, KIBITZER and CHROMIUM: `node web/e2e/screenshots/take.mjs docs/board.png`.
 */
import { launch, serveFiles } from "../browser.mjs";
import { openGame } from "../games.mjs";
import { startServer, stopServer } from "../own-server.mjs";

/** The Opera Game: Morphy against Duke Karl and Count Isouard, Paris 1858. */
const GAME = `[Event "Opera Game"]
[White "Morphy"]
[Black "Duke Karl, Count Isouard"]
[Result "1-0"]

1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5
10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8
17. Rd8# 1-0`;

const MAX_BYTES = 200_000;

const file = process.argv[2];
if (!file) throw new Error("name the file of the picture");
const { server, address } = await startServer();
const browser = await launch();
try {
  const context = await browser.newContext({ viewport: { width: 1500, height: 720 } });
  await serveFiles(context);
  const page = await context.newPage();
  await page.goto(`http://${address}/`);
  await openGame(page, GAME);
  await page.keyboard.press("r");
  await page.getByRole("button", { name: "Review the game" }).click();
  await page.getByRole("button", { name: "Review again" }).waitFor({ timeout: 120_000 });
  await page.getByRole("button", { name: "Add to the moves" }).click();
  await page.locator(".turning-points button").first().click();
  await page.getByText(/^depth 1[6-9]|^depth [2-9]\d/).waitFor({ timeout: 60_000 });
  await page.locator(".tool.review").evaluate((panel) => panel.scrollTo(0, 0));
  await page.locator(".toast").waitFor({ state: "detached" });
  const picture = await page.screenshot({ path: file });
  if (picture.length > MAX_BYTES) throw new Error(`the picture has ${picture.length} bytes`);
} finally {
  await browser.close();
  await stopServer(server);
}
