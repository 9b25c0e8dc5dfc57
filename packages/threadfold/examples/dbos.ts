// npm install threadfold @threadfold/integrations @anthropic-ai/sdk @dbos-inc/dbos-sdk pg
// node dbos.ts
import { DBOS } from "@dbos-inc/dbos-sdk";
import { userMessage } from "threadfold";
import { ask, database, open, prepare } from "./dbos-steps.ts";

const turn = DBOS.registerWorkflow(
  async (threadId: string) => {
    const reference = await DBOS.runStep(() => prepare(threadId), { name: "prepare" });
    await DBOS.runStep(() => ask(reference), { name: "ask", retriesAllowed: true });
    return reference;
  },
  { name: "turn" },
);

DBOS.setConfig({ name: "agent", systemDatabaseUrl: database, logLevel: "warn" });
await DBOS.launch();
const session = await open("review");
await session.append([userMessage("Is all in order?", { id: "question-1", createdAt: "2026-01-01T00:00:00Z" })]);
await session.close();
const handle = await DBOS.startWorkflow(turn, { workflowID: "question-1" })("review");
console.log(await handle.getResult());
await DBOS.shutdown();
