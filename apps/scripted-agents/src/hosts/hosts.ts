import { aiSdk6 } from "./ai-sdk-6.ts";
import { aiSdk7 } from "./ai-sdk-7.ts";
import { aiSdk7Middleware } from "./ai-sdk-7-middleware.ts";
import { anthropicSdk } from "./anthropic-sdk.ts";
import type { HostAgent } from "./host-agent.ts";
import { langchain } from "./langchain.ts";
import { mastra } from "./mastra.ts";
import { openaiAgents } from "./openai-agents.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { pi } from "./pi.ts";
import { plainAnthropic } from "./plain-anthropic.ts";

/** Every host that the script runs in. */
export const HOSTS: readonly HostAgent[] = [
  plainAnthropic,
  aiSdk7,
  aiSdk7Middleware,
  aiSdk6,
  anthropicSdk,
  openaiChat,
  openaiResponses,
  langchain,
  openaiAgents,
  mastra,
  pi,
];
