/**
 * The files of the page that are loaded later. The build puts `loadFile` in place of each
 * `import()` (vite.config.ts), since browsers remember a file that could not be loaded by its
 * address: the same import() would fail for ever.
 */

/** Why a file was not loaded, as a sentence. */
export class LoadError extends Error {
  /** Whether only another page can help: this one is older than the server's files. */
  readonly needsReload: boolean;

  constructor(text: string, needsReload: boolean) {
    super(text);
    this.needsReload = needsReload;
  }
}

/** A server that does not answer in this time cannot be reached. */
const ANSWER_MS = 5_000;

const RELOAD = "Reload the page, which keeps the moves.";

/** How often a file was not loaded although the server has it. */
const refusals = new Map<string, number>();

async function reason(address: string): Promise<LoadError> {
  const answer = await fetch(address, {
    method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => null);
  if (!answer) return new LoadError("The server cannot be reached.", false);
  if (answer.status === 404) {
    return new LoadError(`The server has another version of this page. ${RELOAD}`, true);
  }
  const { ok, status } = answer;
  if (!ok) return new LoadError(`The server refuses it with status ${status}.`, false);
  // The first time, the server may just have come back.
  const times = (refusals.get(address) ?? 0) + 1;
  refusals.set(address, times);
  return times > 1 ? new LoadError(RELOAD, true) : new LoadError("Try again.", false);
}

const loads = new Map<string, Promise<unknown>>();
const failures = new Map<string, number>();

/** Loads a file beside this one. A failure is forgotten, so that the next call tries again. */
function loadFile(path: string): Promise<unknown> {
  const running = loads.get(path);
  if (running) return running;
  const failed = failures.get(path) ?? 0;
  const load = import(/* @vite-ignore */ failed > 0 ? `${path}?try=${failed}` : path);
  const checked = load.catch(async () => {
    loads.delete(path);
    failures.set(path, failed + 1);
    throw await reason(new URL(path, import.meta.url).href);
  });
  loads.set(path, checked);
  return checked;
}

declare global {
  var loadFile: (path: string) => Promise<unknown>;
}
globalThis.loadFile = loadFile;
