/** Modules that the build makes. */

/** The addresses of the style sheets of the piece sets (piece-sets.ts beside vite.config.ts). */
declare module "virtual:piece-sets" {
  const addresses: Readonly<Record<"flat" | "shapes" | "letters", string>>;
  export default addresses;
}
