// The kernels: what is done for every pixel, sixteen bytes at a time. They keep nothing and take no memory; all they
// touch lies where the caller says, in the memory the caller made. Each has its twin in TypeScript.
export { blendFill, blendWords } from "./blend";
export { differCells } from "./compare";
export { deflateRows } from "./deflate";
export { paintHextile } from "./hextile";
export { hashColumns, hashRows } from "./lines";
export { adler32, countNear, packRows } from "./pack";
export { moveCells, publishCells } from "./publish";
export { meanLine, sumRow } from "./scale";
export { compareAt, findExact, findSamples, toGrey } from "./search";
