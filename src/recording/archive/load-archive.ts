// What is loaded only where an archive is configured.
export { ArchiveIndex } from "../../storage/archive-index.ts";
export { S3Bucket } from "../../storage/s3-bucket.ts";
export { S3Error } from "../../storage/s3-error.ts";
export { GoneArchives } from "./gone-archives.ts";
export { S3Archive } from "./s3-archive.ts";
