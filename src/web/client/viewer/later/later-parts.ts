/** What the first picture does not need comes after it, in one file. */
export const laterParts = () => import("./viewer-parts.ts");
