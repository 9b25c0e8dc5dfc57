// Artifacts in S3, with your own client.
export * from "@threadfold/stores/s3";
