// npm install threadfold @threadfold/integrations @agentclientprotocol/sdk @anthropic-ai/sdk
// node acp.ts
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import Anthropic from "@anthropic-ai/sdk";
import { AcpSessions, promptMessage, sendHistory } from "@threadfold/integrations/acp";
import { anthropicTurn, threadfoldTools } from "@threadfold/integrations/anthropic";
import { ContextSession } from "threadfold";

const model = "claude-sonnet-5";
const sessions = new AcpSessions((threadId, onEvent) => ContextSession.open({ threadId, store: "acp.db", model, onEvent }));

const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
const { closed } = agent({ name: "reviewer" })
  .onRequest(methods.agent.initialize, ({ params }) => {
    sessions.capabilities = params.clientCapabilities;
    return { protocolVersion: PROTOCOL_VERSION, agentCapabilities: { loadSession: true } };
  })
  .onRequest(methods.agent.session.new, async ({ client }) => {
    const { acp } = await sessions.open({ sessionId: crypto.randomUUID(), client });
    return { sessionId: acp.sessionId };
  })
  .onRequest(methods.agent.session.load, async ({ params: { sessionId }, client }) => {
    await sendHistory(await sessions.open({ sessionId, client }));
    return {};
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client, signal }) => {
    const thread = await sessions.open({ sessionId: params.sessionId, client });
    const { session } = thread;
    const tools = [...threadfoldTools(session)]; // and your own, whose calls you run
    await session.append([promptMessage(params)]);
    const said = session.thread.length;
    await anthropicTurn({ session, client: new Anthropic(), model, max_tokens: 8_000, tools }).step({ signal });
    await sendHistory(thread, said);
    return { stopReason: "end_turn" };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), input));
await closed;
await sessions.close();
