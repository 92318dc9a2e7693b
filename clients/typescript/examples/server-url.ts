/** The server of an example: the argument of the program, `?server=` of a page, or this machine. */
const argument = typeof location === "undefined" ?
  process.argv[2] : new URLSearchParams(location.search).get("server");

export const serverUrl = argument ?? "http://localhost:8080";
