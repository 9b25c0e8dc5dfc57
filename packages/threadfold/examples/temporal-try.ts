// npm install threadfold @threadfold/integrations @anthropic-ai/sdk @temporalio/workflow @temporalio/worker @temporalio/testing
// node temporal-try.ts
import { MockActivityEnvironment } from "@temporalio/testing";
import { type RequestReference, userMessage } from "threadfold";
import { ask, open, prepare } from "./temporal-activities.ts";

const session = await open("review");
await session.append([userMessage("Is all in order?")]);
await session.close();

const worker = new MockActivityEnvironment();
const reference = (await worker.run(() => prepare("review"))) as RequestReference;
await worker.run(() => ask(reference));
console.log(reference);
