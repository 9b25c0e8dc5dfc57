// A model for summaries, called through the AI SDK.
export * from "@threadfold/summarizers/ai-sdk";
