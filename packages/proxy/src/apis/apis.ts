import { anthropicMessages } from "./anthropic-messages.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { Provider, ProviderApi } from "./provider-api.ts";

const APIS: readonly ProviderApi[] = [anthropicMessages, openaiChat, openaiResponses];

/** The API that a request is for; undefined for one that is passed on unread. */
export const apiAt = (provider: Provider, path: string): ProviderApi | undefined =>
  APIS.find((api) => api.provider === provider && path.endsWith(api.path));
