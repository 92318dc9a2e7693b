/**
 * Figures of the board's speed, printed as a table. Run it by hand on an idle machine, with the
 * variables of e2e/run: KIBITZER, CHROMIUM, and BOARD_FILES for a build to measure in place of the
 * program's own page. SECONDS is the time under load, 60 by default.
 */
import { launch, middleOf, serveFiles } from "./browser.mjs";
import { startFakeLive } from "./fake-live.mjs";
import { startServer, stopServer } from "./own-server.mjs";

const RUNS = 9;
const SECONDS = Number(process.env.SECONDS ?? 60);
const THROTTLE = 4;

/** The position with the most legal moves, 218, as in links. */
const MOST_MOVES = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1_w_-_-_0_1";

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const print = (name, value, limit) => console.log(`${name.padEnd(58)} ${value} (limit ${limit})`);
const ms = (value) => `${value.toFixed(0)} ms`;

/** Notes in the page when the board, and an evaluation with this move number, are shown. */
const noteTimes = () => {
  globalThis.times = {};
  const note = (name, isShown) => {
    if (!(name in globalThis.times) && isShown()) globalThis.times[name] = performance.now();
  };
  const first = () => document.querySelector(".pv-move[data-index='0']")?.textContent ?? "";
  new MutationObserver(() => {
    note("board", () => document.querySelector("cg-board piece"));
    note("evaluation", () => first().startsWith("1. "));
    note("next", () => first().startsWith("1… "));
  }).observe(document, { childList: true, subtree: true, characterData: true });
  addEventListener("mouseup", () => { globalThis.times.mouseup = performance.now(); }, true);
  globalThis.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) {
      if (!hadRecentInput) globalThis.shifted += value;
    }
  }).observe({ type: "layout-shift", buffered: true });
};

/** An analysis with five lines, which also puts the position into the server's memory. */
async function analyse(address, moves, multipv = 5) {
  const response = await fetch(`http://${address}/v1/analysis`, {
    method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify({
      fen: "startpos", moves, depth: 12, multipv, pov: "white", pv_length: 16,
    }),
  });
  return response.json();
}

async function newPage(browser) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await serveFiles(context);
  await context.addInitScript(noteTimes);
  return context.newPage();
}

/** Times from navigation to board and evaluation, and from a move to the next evaluation. */
async function measureNavigation(browser, address) {
  const runs = { board: [], evaluation: [], move: [] };
  for (let run = 0; run < RUNS; run++) {
    const page = await newPage(browser);
    await page.goto(`http://${address}/`);
    await page.waitForFunction(() => globalThis.times.evaluation);
    await page.mouse.click(...(await middleOf(page, "e2")));
    await page.mouse.click(...(await middleOf(page, "e4")));
    await page.waitForFunction(() => globalThis.times.next);
    const { board, evaluation, next, mouseup } = await page.evaluate(() => globalThis.times);
    runs.board.push(board);
    runs.evaluation.push(evaluation);
    runs.move.push(next - mouseup);
    await page.context().close();
  }
  print("navigation to the board", ms(median(runs.board)), "500 ms");
  print("navigation to the evaluation from memory", ms(median(runs.evaluation)), "300 ms");
  print("move to the evaluation from memory", ms(median(runs.move)), "100 ms");
}

/** The CPU times in ms of the tasks of the page's main thread. */
function taskTimes(trace, pid) {
  const main = trace.find(({ name, args, pid: of }) =>
    name === "thread_name" && args.name === "CrRendererMain" && of === pid);
  return trace
    .filter(({ name, tid, pid: of, tdur }) =>
      name.endsWith("RunTask") && of === pid && tid === main.tid && tdur !== undefined)
    .map(({ tdur }) => tdur / 1_000);
}

/** Slows the processor of a page down. */
async function throttle(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: THROTTLE });
  return session;
}

/** The CPU times of the page's tasks while something happens, the longest first. */
async function traced(browser, page, happen) {
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
  await happen();
  const { traceEvents } = JSON.parse(await browser.stopTracing());
  const pids = new Map();
  for (const { pid, name } of traceEvents) {
    if (name === "EventDispatch" || name === "UpdateLayoutTree") {
      pids.set(pid, (pids.get(pid) ?? 0) + 1);
    }
  }
  const [pid] = [...pids].toSorted(([, a], [, b]) => b - a)[0];
  return taskTimes(traceEvents, pid).toSorted((a, b) => b - a);
}

async function heapSize(session) {
  await session.send("HeapProfiler.collectGarbage");
  return (await session.send("Runtime.getHeapUsage")).usedSize;
}

/** Tasks, heap and layout shifts while ten updates a second arrive. */
async function measureLoad(browser, address) {
  const page = await newPage(browser);
  await page.addInitScript(() => {
    localStorage.setItem("kibitzer.engine", JSON.stringify({ multipv: 5, limit: "infinite" }));
    localStorage.setItem("kibitzer.settings", JSON.stringify({ lineArrows: "on" }));
  });
  await page.goto(`http://${address}/`);
  await page.locator(".pv-move[data-row='4']").first().waitFor();
  const session = await throttle(page);
  await page.waitForTimeout(3_000);
  const before = await heapSize(session);
  const depth = () => page.locator(".engine .depth").innerText();
  const first = Number((await depth()).match(/\d+/)[0]);
  const times = await traced(browser, page, () => page.waitForTimeout(SECONDS * 1_000));
  const updates = Number((await depth()).match(/\d+/)[0]) - first;
  const after = await heapSize(session);
  const sum = times.reduce((total, time) => total + time, 0);
  print(`updates a second, for ${SECONDS} s`, (updates / SECONDS).toFixed(1), "10");
  print(`longest task at ${THROTTLE}× throttle, CPU time`, `${times[0].toFixed(1)} ms`, "50 ms");
  print("share of the main thread", `${(sum / SECONDS / 10).toFixed(1)} %`, "none");
  print("heap growth", `${((after - before) / 1e6).toFixed(2)} MB`, "5 MB");
  const shifted = await page.evaluate(() => globalThis.shifted);
  print("layout shift", shifted.toFixed(4), "0.02");
  await page.context().close();
}

/** Tasks while the list of the most moves that a position can have is opened. */
async function measureMoveList(browser, address) {
  const page = await newPage(browser);
  await page.goto(`http://${address}/?fen=${MOST_MOVES}`);
  await page.locator(".pv-move").first().waitFor();
  await throttle(page);
  const times = await traced(browser, page, async () => {
    await page.keyboard.press("e");
    await page.waitForFunction(() =>
      document.querySelectorAll(".known-move, .unknown-moves button").length === 218);
    await page.waitForTimeout(500);
  });
  const longest = `${times[0].toFixed(1)} ms`;
  print(`longest task of a list of 218 moves at ${THROTTLE}× throttle`, longest, "50 ms");
  await page.context().close();
}

/** The time from the start of a server that was killed to the next evaluation. */
async function measureResume(browser) {
  const times = [];
  let { server, address } = await startServer();
  const page = await newPage(browser);
  await page.goto(`http://${address}/`);
  await page.waitForFunction(() => globalThis.times.evaluation);
  for (const move of [["e2", "e4"], ["e7", "e5"], ["g1", "f3"], ["b8", "c6"], ["f1", "b5"]]) {
    await stopServer(server);
    await page.getByText("The server cannot be reached.").first().waitFor();
    for (const square of move) await page.mouse.click(...(await middleOf(page, square)));
    await page.waitForFunction(() => !document.querySelector(".pv-move"));
    // Long enough for the waits between the tries to have grown.
    await page.waitForTimeout(4_000);
    ({ server } = await startServer({ listen: address }));
    const start = performance.now();
    await page.locator(".pv-move").first().waitFor();
    times.push(performance.now() - start);
  }
  await page.context().close();
  await stopServer(server);
  print("server back to the next evaluation, longest of 5", ms(Math.max(...times)), "2000 ms");
}

const { server, address } = await startServer();
const browser = await launch();
try {
  const start = await analyse(address, []);
  await analyse(address, ["e4"]);
  const live = await startFakeLive(address, { type: "info", ...start });
  await measureNavigation(browser, address);
  await measureResume(browser);
  await measureLoad(browser, live.address);
  await measureMoveList(browser, address);
  await live.stop();
} finally {
  await browser.close();
  await stopServer(server);
}
