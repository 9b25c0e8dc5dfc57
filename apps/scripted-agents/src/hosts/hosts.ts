import { anthropicMessagesProtocol } from "../provider/anthropic-protocol.ts";
import { interactionsProtocol } from "../provider/interactions-protocol.ts";
import { openaiChatProtocol, openaiResponsesProtocol } from "../provider/openai-protocols.ts";
import type { HostAgent } from "./host-agent.ts";

// The libraries of all hosts take seconds to load, so each host's are loaded when its agent runs.
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
    run: async (world) => (await providerSdks()).plainAnthropic(world),
  },
  {
    id: "plain-interactions",
    protocol: interactionsProtocol,
    run: async (world) => (await interactions()).plainInteractions(world),
  },
  {
    id: "ai-sdk-7",
    protocol: anthropicMessagesProtocol,
    format: "ai-sdk",
    run: async (world) => (await aiSdk()).aiSdk7(world),
  },
  {
    id: "ai-sdk-7-middleware",
    protocol: openaiChatProtocol,
    format: "ai-sdk",
    run: async (world) => (await aiSdk()).aiSdk7Middleware(world),
  },
  {
    id: "ai-sdk-6",
    protocol: anthropicMessagesProtocol,
    format: "ai-sdk",
    run: async (world) => (await aiSdk()).aiSdk6(world),
  },
  {
    id: "anthropic-sdk",
    protocol: anthropicMessagesProtocol,
    run: async (world) => (await providerSdks()).anthropicSdk(world),
  },
  { id: "openai-chat", protocol: openaiChatProtocol, run: async (world) => (await providerSdks()).openaiChat(world) },
  {
    id: "openai-responses",
    protocol: openaiResponsesProtocol,
    run: async (world) => (await providerSdks()).openaiResponses(world),
  },
  { id: "langchain", protocol: openaiChatProtocol, run: async (world) => (await frameworks()).langchain(world) },
  {
    id: "openai-agents",
    protocol: openaiResponsesProtocol,
    run: async (world) => (await providerSdks()).openaiAgents(world),
  },
  {
    id: "mastra",
    protocol: openaiChatProtocol,
    format: "ai-sdk",
    run: async (world) => (await frameworks()).mastra(world),
  },
  {
    id: "pi",
    protocol: anthropicMessagesProtocol,
    recordsRequests: false,
    run: async (world) => (await piAgent()).pi(world),
  },
  {
    id: "proxy-anthropic",
    protocol: anthropicMessagesProtocol,
    run: async (world) => (await behindProxy()).proxiedAnthropic(world),
  },
  {
    id: "proxy-openai-chat",
    protocol: openaiChatProtocol,
    run: async (world) => (await behindProxy()).proxiedChat(world),
  },
  {
    id: "proxy-openai-responses",
    protocol: openaiResponsesProtocol,
    run: async (world) => (await behindProxy()).proxiedResponses(world),
  },
];
