// A model for summaries, called through the Anthropic SDK.
export * from "@threadfold/summarizers/anthropic";
