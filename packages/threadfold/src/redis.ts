// A summary cache in Redis.
export * from "@threadfold/stores/redis";
