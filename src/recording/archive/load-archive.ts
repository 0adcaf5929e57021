// What is loaded only where an archive is configured.
export { ArchiveIndex } from "./archive-index.ts";
export { S3Archive } from "./s3-archive.ts";
export { S3Bucket } from "./s3-bucket.ts";
export { S3Error } from "./s3-error.ts";
