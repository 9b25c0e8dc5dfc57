// What somebody needs who adds a part of their own: the laws of each family, what runs them, and what to try them with.

export * from "@threadfold/core/laws";
export * from "@threadfold/importers/laws";
export * from "@threadfold/renderer/laws";
export * from "@threadfold/stores/laws";
export * from "@threadfold/strategies/laws";
export * from "@threadfold/summarizers/laws";
export * from "@threadfold/tokenizers/laws";
