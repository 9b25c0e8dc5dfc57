import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentSession,
  createAgentSession,
  DefaultResourceLoader,
  type ExtensionFactory,
  ModelRuntime,
  SessionManager,
  SettingsManager,
  type ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import { type PiProblem, threadfoldExtension } from "@threadfold/integrations/pi";
import { MAX_TOKENS, thinkingOf } from "../provider/anthropic-protocol.ts";
import { SCRIPTED_TOOLS, SYSTEM_TEXT, toolResult } from "../script/scripted-agent.ts";
import type { AgentWorld } from "./host-agent.ts";

/** Share of the window that pi keeps free, and the share it keeps for the newest messages. */
const RESERVE_SHARE = 1 / 8;
const RECENT_SHARE = 1 / 4;
const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** pi's own session and loop. pi decides when to compact and makes the requests; the extension supplies compactions. */
export async function pi(world: AgentWorld): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "threadfold-pi-"));
  const problems: PiProblem[] = [];
  const { session, summarizer, userMessages } = world;
  const extension = threadfoldExtension({
    store: session.store,
    ...(summarizer !== undefined && { summarizer }),
    onProblem: (problem) => problems.push(problem),
  });
  try {
    const agent = await openPi(folder, world, extension);
    for (const text of userMessages) await agent.prompt(text);
    agent.dispose();
    await session.refresh();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (problems.length > 0) throw new Error(`pi fell back on its own compaction: ${JSON.stringify(problems)}`);
}

async function openPi(
  folder: string,
  { url, model, session }: AgentWorld,
  extension: ExtensionFactory,
): Promise<AgentSession> {
  const { maxInputTokens } = session.config;
  const places = { cwd: folder, agentDir: folder };
  const modelRuntime = await ModelRuntime.create({ authPath: join(folder, "auth.json"), modelsPath: null });
  await modelRuntime.setRuntimeApiKey("anthropic", "scripted");
  const settingsManager = SettingsManager.inMemory({
    compaction: {
      enabled: true,
      reserveTokens: Math.floor(maxInputTokens * RESERVE_SHARE),
      keepRecentTokens: Math.floor(maxInputTokens * RECENT_SHARE),
    },
    retry: { enabled: true, baseDelayMs: 1, provider: { maxRetries: 0 } },
  });
  const resourceLoader = new DefaultResourceLoader({
    ...places,
    settingsManager,
    systemPrompt: SYSTEM_TEXT,
    extensionFactories: [extension],
  });
  await resourceLoader.reload();
  const { session: agent } = await createAgentSession({
    ...places,
    modelRuntime,
    settingsManager,
    resourceLoader,
    // The extension names its thread after pi's session, so that the world's session sees the plans.
    sessionManager: SessionManager.inMemory(folder, { id: session.threadId }),
    noTools: "builtin",
    customTools: SCRIPTED_TOOLS.map(scripted),
    thinkingLevel: "medium",
    model: {
      ...{ id: model, name: "scripted", api: "anthropic-messages", provider: "anthropic", baseUrl: url },
      compat: { forceAdaptiveThinking: thinkingOf(model).type === "adaptive" },
      ...{ reasoning: true, input: ["text"], cost: NO_COST, contextWindow: maxInputTokens, maxTokens: MAX_TOKENS },
    },
  });
  return agent;
}

const scripted = ({ name, description = "", inputSchema }: (typeof SCRIPTED_TOOLS)[number]): ToolDefinition => ({
  name,
  label: name,
  description,
  parameters: inputSchema as never,
  execute: async (_callId, input) => ({
    content: [{ type: "text", text: toolResult({ name, input: input as never }) }],
    details: undefined,
  }),
});
