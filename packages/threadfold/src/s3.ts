// Artifacts in S3, with a client of your own.
export * from "@threadfold/stores/s3";
