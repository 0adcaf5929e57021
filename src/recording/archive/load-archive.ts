// What is loaded only where an archive is configured.
export { ArchiveMarks } from "./archive-marks.ts";
export { ArchiveUploads } from "./archive-uploads.ts";
export { S3Bucket } from "./s3-bucket.ts";
export { S3Error } from "./s3-error.ts";
