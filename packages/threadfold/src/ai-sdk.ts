// A model of the AI SDK for summaries.
export * from "@threadfold/summarizers/ai-sdk";
