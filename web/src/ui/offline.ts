/** The registration of the service worker, which keeps the page for the time without a server. */

/** The server sends it with `Service-Worker-Allowed: /`, since it lies in a folder. */
const WORKER = "/assets/service-worker.js";

/** The first evaluation goes before the files that are kept. */
const START_AFTER_MS = 3_000;

/** Keeps the page in the browser, where the browser and the server allow it. */
export function keepForOffline(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  setTimeout(() => {
    // Without it, the page works as before, but not after a reload without the server.
    navigator.serviceWorker.register(WORKER, { scope: "/" }).catch(() => undefined);
  }, START_AFTER_MS);
}
