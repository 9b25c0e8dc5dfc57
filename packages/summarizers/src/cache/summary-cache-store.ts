export type { SummaryCacheStore } from "@threadfold/core";
