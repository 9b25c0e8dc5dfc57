// Models of the OpenAI SDK for summaries: Chat Completions and Responses.
export * from "@threadfold/summarizers/openai";
