export * from "@threadfold/core";
