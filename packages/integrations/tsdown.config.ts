import { library } from "../../tsdown.base.ts";

export default library({
  acp: "src/acp/index.ts",
  "ai-sdk": "src/ai-sdk/index.ts",
  anthropic: "src/anthropic/index.ts",
  gemini: "src/gemini/index.ts",
  loopback: "src/loopback/index.ts",
  mcp: "src/mcp/index.ts",
  mirror: "src/mirror/index.ts",
  openai: "src/openai/index.ts",
  opentelemetry: "src/opentelemetry/index.ts",
  langchain: "src/langchain/index.ts",
  mastra: "src/mastra/index.ts",
  "openai-agents": "src/openai-agents/index.ts",
  pi: "src/pi/index.ts",
  "pi-extension": "src/pi/pi-extension.ts",
});
