// npm install threadfold @threadfold/integrations @anthropic-ai/sdk @restatedev/restate-sdk @restatedev/restate-sdk-clients
// node restate.ts
import { serve } from "@restatedev/restate-sdk";
import { connect, Opts } from "@restatedev/restate-sdk-clients";
import { userMessage } from "threadfold";
import { open, thread } from "./restate-thread.ts";

const { RESTATE_ADMIN = "http://localhost:9070", RESTATE_INGRESS = "http://localhost:8080" } = process.env;
const port = await serve({ services: [thread], port: Number(process.env.PORT ?? 9080) });
const registered = await fetch(`${RESTATE_ADMIN}/deployments`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ uri: `http://localhost:${port}`, force: true }),
});
if (!registered.ok) throw new Error(await registered.text());

const session = await open("review");
await session.append([userMessage("Is all in order?", { id: "question-1", createdAt: "2026-01-01T00:00:00Z" })]);
await session.close();
const client = connect({ url: RESTATE_INGRESS }).objectClient(thread, "review");
console.log(await client.turn(Opts.from({ idempotencyKey: "question-1" })));
process.exit();
