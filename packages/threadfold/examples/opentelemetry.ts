// npm install threadfold @threadfold/integrations @opentelemetry/api
// node opentelemetry.ts
import { sessionTelemetry } from "@threadfold/integrations/opentelemetry";
import { ContextSession, importSessionFile } from "threadfold";

const telemetry = sessionTelemetry(); // uses the providers registered in this process
const { threadId, messages } = await importSessionFile("session.jsonl");
const config = { maxInputTokens: 50_000 };
const session = await ContextSession.open({ threadId, config, onEvent: telemetry.onEvent });
await session.append(messages);
console.log((await session.compact()).type);
await session.close();
