import { langchain, mastra } from "./agent-frameworks.ts";
import { aiSdk6, aiSdk7, aiSdk7Middleware } from "./ai-sdk.ts";
import { proxiedAnthropic, proxiedChat, proxiedResponses } from "./behind-proxy.ts";
import type { HostAgent } from "./host-agent.ts";
import { plainInteractions } from "./interactions.ts";
import { pi } from "./pi.ts";
import { anthropicSdk, openaiAgents, openaiChat, openaiResponses, plainAnthropic } from "./provider-sdks.ts";

/** Every host that the script runs in. */
export const HOSTS: readonly HostAgent[] = [
  plainAnthropic,
  plainInteractions,
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
  proxiedAnthropic,
  proxiedChat,
  proxiedResponses,
];
