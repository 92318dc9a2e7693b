/**
 * The service worker: the page without the server. It keeps one version of the page with all its
 * files. The page itself comes from the network while there is one. Answers of the API are never
 * kept. A new version waits until the last tab with the old one is closed, since that tab may still
 * load files that only the old version has.
 */

/** The paths of the built files, and a hash over all that is kept. See vite.config.ts. */
declare const __FILES__: readonly string[];
declare const __VERSION__: string;

/** The part of the worker's scope that is used here. Types of workers exclude those of pages. */
interface ExtendableEvent {
  waitUntil(done: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface WorkerScope {
  readonly location: Location;
  readonly caches: CacheStorage;
  readonly clients: { claim(): Promise<void> };
  addEventListener(type: "install" | "activate", listen: (event: ExtendableEvent) => void): void;
  addEventListener(type: "fetch", listen: (event: FetchEvent) => void): void;
}
const scope = self as unknown as WorkerScope;

const PREFIX = "board-";
const CACHE = PREFIX + __VERSION__;
const PAGE = "/";

/** A server that does not answer in this time counts as gone. */
const PAGE_TIMEOUT_MS = 3_000;

const files: ReadonlySet<string> = new Set(__FILES__);

async function install(): Promise<void> {
  const response = await fetch(PAGE, { cache: "reload" });
  // A proxy's login, to which it redirects, is not the page.
  if (!response.ok || response.redirected) throw new Error(`status ${response.status}`);
  const cache = await scope.caches.open(CACHE);
  await cache.put(PAGE, response);
  await cache.addAll([...files]);
}

async function activate(): Promise<void> {
  const names = await scope.caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(old.map((name) => scope.caches.delete(name)));
  await scope.clients.claim();
}

const kept = async (path: string): Promise<Response | undefined> =>
  (await scope.caches.open(CACHE)).match(path);

/**
 * Whether an answer is shown: the page, a redirect, whose status is 0 here, and what asks for a
 * login. All others are of a server that starts, is overloaded, or stands where the board was.
 */
const isShown = ({ ok, status }: Response) => ok || [0, 401, 403].includes(status);

/** The page of the server, or the kept one if the server is gone, slow or has no page. */
async function page(request: Request): Promise<Response> {
  const late = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error("timeout")), PAGE_TIMEOUT_MS));
  const live = fetch(request);
  try {
    const response = await Promise.race([live, late]);
    return isShown(response) ? response : ((await kept(PAGE)) ?? response);
  } catch {
    return (await kept(PAGE)) ?? live;
  }
}

const file = async (request: Request, path: string): Promise<Response> =>
  (await kept(path)) ?? fetch(request);

scope.addEventListener("install", (event) => event.waitUntil(install()));
scope.addEventListener("activate", (event) => event.waitUntil(activate()));
scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== scope.location.origin) return;
  if (request.mode === "navigate" && pathname === PAGE) event.respondWith(page(request));
  else if (files.has(pathname)) event.respondWith(file(request, pathname));
});
