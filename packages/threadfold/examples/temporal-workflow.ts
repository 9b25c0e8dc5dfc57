// npm install threadfold @threadfold/integrations @anthropic-ai/sdk @temporalio/workflow @temporalio/worker @temporalio/testing
// node temporal-workflow.ts
import { proxyActivities } from "@temporalio/workflow";
import type * as activities from "./temporal-activities.ts";

const { prepare, ask } = proxyActivities<typeof activities>({ startToCloseTimeout: "5 minutes" });

export async function turn(threadId: string) {
  const reference = await prepare(threadId);
  await ask(reference);
  return reference;
}
