// npm install threadfold @threadfold/proxy @anthropic-ai/sdk
// npx threadfold run --budget 100k --store threads.db -- node --version
// node proxy.ts
import Anthropic from "@anthropic-ai/sdk";
import { startProxy } from "@threadfold/proxy";
import { openStore } from "threadfold";

const store = await openStore("threads.db");
const anthropic = process.env.ANTHROPIC_BASE_URL ?? "https://api.anthropic.com"; // or a gateway
const proxy = await startProxy({ store, upstream: { anthropic }, config: { maxInputTokens: 100_000 } });

const agent = new Anthropic({ baseURL: proxy.baseUrls.anthropic });
const messages = [{ role: "user" as const, content: "Hello." }];
const { content } = await agent.messages.create({ model: "claude-haiku-4-5", max_tokens: 1_000, messages });
console.log(content);
await proxy.close();
await store.close();
