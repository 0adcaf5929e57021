/** Of this release, YYYY.MM.DD[.N]; the same as in package.json (a test compares them). */
export const VERSION = "2026.11.21";
