// A model of the Anthropic SDK for summaries.
export * from "@threadfold/summarizers/anthropic";
