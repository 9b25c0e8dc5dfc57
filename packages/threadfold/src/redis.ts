// Summaries in Redis.
export * from "@threadfold/stores/redis";
