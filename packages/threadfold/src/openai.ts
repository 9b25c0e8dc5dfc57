// Models for summaries, called through the OpenAI SDK: Chat Completions and Responses.
export * from "@threadfold/summarizers/openai";
