/**
 * A program next to the activities of Temporal's page, with as much of Temporal as runs without its server: activities
 * run one at a time in Temporal's own test environment, and their results are kept in a file as a history keeps them.
 * When started again, it continues after the last result kept.
 */
export const TEMPORAL_ENGINE = `import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { MockActivityEnvironment } from "@temporalio/testing";
import { userMessage } from "threadfold";
import { ask, open, prepare } from "./temporal-activities.ts";

const KEPT = "temporal-history.json";
const results = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, "utf8")) : [];

async function activity(index, work) {
  if (results.length > index) return results[index];
  const result = await new MockActivityEnvironment().run(work);
  results.push(JSON.parse(JSON.stringify(result ?? null)));
  writeFileSync(KEPT, JSON.stringify(results));
  return result;
}

if (results.length === 0) {
  const session = await open("review");
  await session.append([userMessage("Is all in order?", { id: "question-1", createdAt: "2026-01-01T00:00:00Z" })]);
  await session.close();
}
const reference = await activity(0, () => prepare("review"));
await activity(1, () => ask(reference));
console.log(reference);
`;
