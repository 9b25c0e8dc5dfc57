import { anthropicMessagesProtocol } from "../provider/anthropic-protocol.ts";
import { interactionsProtocol } from "../provider/interactions-protocol.ts";
import { openaiChatProtocol, openaiResponsesProtocol } from "../provider/openai-protocols.ts";
import type { HostAgent } from "./host-agent.ts";

// The libraries of all hosts take seconds to load, so each host's are loaded when its agent is.
const frameworks = () => import("./agent-frameworks.ts");
const aiSdk = () => import("./ai-sdk.ts");
const behindProxy = () => import("./behind-proxy.ts");
const interactions = () => import("./interactions.ts");
const piAgent = () => import("./pi.ts");
const providerSdks = () => import("./provider-sdks.ts");

/** Every host that the script runs in. */
export const HOSTS: readonly HostAgent[] = [
  {
    id: "plain-anthropic",
    protocol: anthropicMessagesProtocol,
    load: async () => (await providerSdks()).plainAnthropic,
  },
  {
    id: "plain-interactions",
    protocol: interactionsProtocol,
    load: async () => (await interactions()).plainInteractions,
  },
  {
    id: "ai-sdk-7",
    protocol: anthropicMessagesProtocol,
    format: "ai-sdk",
    load: async () => (await aiSdk()).aiSdk7,
  },
  {
    id: "ai-sdk-7-middleware",
    protocol: openaiChatProtocol,
    format: "ai-sdk",
    load: async () => (await aiSdk()).aiSdk7Middleware,
  },
  {
    id: "ai-sdk-6",
    protocol: anthropicMessagesProtocol,
    format: "ai-sdk",
    load: async () => (await aiSdk()).aiSdk6,
  },
  {
    id: "anthropic-sdk",
    protocol: anthropicMessagesProtocol,
    load: async () => (await providerSdks()).anthropicSdk,
  },
  { id: "openai-chat", protocol: openaiChatProtocol, load: async () => (await providerSdks()).openaiChat },
  {
    id: "openai-responses",
    protocol: openaiResponsesProtocol,
    load: async () => (await providerSdks()).openaiResponses,
  },
  { id: "langchain", protocol: openaiChatProtocol, load: async () => (await frameworks()).langchain },
  {
    id: "openai-agents",
    protocol: openaiResponsesProtocol,
    load: async () => (await providerSdks()).openaiAgents,
  },
  {
    id: "mastra",
    protocol: openaiChatProtocol,
    format: "ai-sdk",
    load: async () => (await frameworks()).mastra,
  },
  {
    id: "pi",
    protocol: anthropicMessagesProtocol,
    recordsRequests: false,
    load: async () => (await piAgent()).pi,
  },
  {
    id: "proxy-anthropic",
    protocol: anthropicMessagesProtocol,
    load: async () => (await behindProxy()).proxiedAnthropic,
  },
  {
    id: "proxy-openai-chat",
    protocol: openaiChatProtocol,
    load: async () => (await behindProxy()).proxiedChat,
  },
  {
    id: "proxy-openai-responses",
    protocol: openaiResponsesProtocol,
    load: async () => (await behindProxy()).proxiedResponses,
  },
];
