/** What the page loads at its start: bytes, requests and hosts, as Chromium counts them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { expectLines, launch } from "./browser.mjs";
import { startSite } from "./site.mjs";

const { BOARD_FILES, BOARD_URL } = process.env;

/** Limits of bytes as they are transferred, in gzip. */
const MAX_SCRIPTS = 60 * 1024;
const MAX_STYLES = 15 * 1024;
/** With the socket and the requests of the API, until the first evaluation is shown. */
const MAX_REQUESTS = 8;

let browser;
let site;
before(async () => {
  browser = await launch();
  // The program's own page comes from the program itself.
  site = BOARD_FILES ? await startSite(new URL(BOARD_URL).host) : null;
});
after(async () => {
  await browser?.close();
  await site?.stop();
});

/** Opens the page and notes its requests until the first evaluation is shown. */
async function firstLoad() {
  const address = site ? `http://${site.address}/` : BOARD_URL;
  const context = await browser.newContext({ serviceWorkers: "block" });
  const page = await context.newPage();
  const requests = [];
  const complaints = [];
  page.on("console", (message) => {
    const text = message.text();
    if (!text.startsWith("Service Worker registration blocked")) complaints.push(text);
  });
  await page.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      globalThis.violations.push(`${violatedDirective} ${blockedURI}`));
  });
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  session.on("Network.requestWillBeSent", ({ request: { url }, type, initiator }) => {
    // What a script asks for while it runs has a stack; what the page names has none.
    if (!url.startsWith("data:")) requests.push({ url, type, isLate: Boolean(initiator.stack) });
  });
  session.on("Network.webSocketCreated", ({ url }) =>
    requests.push({ url, type: "WebSocket", isLate: true }));
  const response = await page.goto(address);
  await expectLines(page, "1\\.");
  await page.getByRole("grid", { name: "Board" }).waitFor();
  const sizes = new Map(await page.evaluate(() => performance.getEntriesByType("resource")
    .map(({ name, encodedBodySize }) => [name, encodedBodySize])));
  const violations = await page.evaluate(() => globalThis.violations);
  await context.close();
  return { address, response, requests, sizes, violations, complaints };
}

test("the first load is small, from its own host, and within the Content-Security-Policy",
  async () => {
    const { address, response, requests, sizes, violations, complaints } = await firstLoad();
    const bytes = (type) => requests
      .filter((request) => request.type === type && !request.isLate)
      .reduce((sum, { url }) => sum + sizes.get(url), 0);
    const [scripts, styles] = [bytes("Script"), bytes("Stylesheet")];
    assert.ok(scripts > 0 && scripts <= MAX_SCRIPTS, `${scripts} bytes of scripts`);
    assert.ok(styles > 0 && styles <= MAX_STYLES, `${styles} bytes of styles`);
    const urls = requests.map(({ url }) => url);
    assert.ok(urls.length <= MAX_REQUESTS, urls.join("\n"));
    const { host } = new URL(address);
    assert.deepEqual(urls.filter((url) => new URL(url).host !== host), []);
    const policy = response.headers()["content-security-policy"];
    assert.match(policy, /default-src 'self'/);
    assert.doesNotMatch(policy, /unsafe|https?:/);
    assert.deepEqual([violations, complaints], [[], []]);
    console.log(`first load: ${scripts} B scripts, ${styles} B styles, ${urls.length} requests`);
  });
