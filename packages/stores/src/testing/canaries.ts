import {
  asThreadId,
  groupRecords,
  type SummaryCacheStore,
  sealPlan,
  spanOf,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { entry, metadata, pin, START } from "../laws/sample-data.ts";

/** Number of canaries of a subject; five of them are in a summary cache, if there is one. */
export const CANARIES = 100;

/**
 * A word that appears nowhere else, as a person's name or number would. It is lower-case, so search keeps it unchanged.
 */
export const canary = (subject: number, number: number): string => `canary${subject}x${number}zq`;
export const threadOf = (subject: number): ThreadId => asThreadId(`person ${subject}`);

/**
 * Puts a hundred canaries of a subject into entries, pins, plans and their summaries, artifacts, search and a cache.
 */
export async function plant(store: ThreadfoldStore, subject: number, cache?: SummaryCacheStore): Promise<void> {
  const threadId = threadOf(subject);
  let number = 0;
  const next = (): string => canary(subject, number++);
  // Some are long, because long texts are stored in separate pages.
  const texts = Array.from(
    { length: 60 },
    (_, index) => `${next()} ${index % 20 === 0 ? "filler ".repeat(2_000) : ""}`,
  );
  await store.threads.append(
    threadId,
    texts.map((text, index) => entry(index, text)),
    { expectedVersion: 0, idempotencyKey: "key" },
  );
  const pins = Array.from({ length: 10 }, (_, index) => pin(`p${index}`, "user", next()));
  await store.threads.append(threadId, pins, { expectedVersion: 60 });
  for (let count = 0; count < 15; count++) await store.artifacts.store(next(), metadata({ threadId }));
  const thread = await store.threads.load(threadId);
  if (thread === null) throw new Error("the thread is there");
  await store.recall?.index(threadId, thread.messages);
  const span = spanOf(thread.messagesBetween(0, 4));
  for (let version = 1; version <= 5; version++) {
    const record = {
      action: "drop" as const,
      strategy: "drop",
      reason: next(),
      sincePlanVersion: version,
      originalTokens: 10,
      keywords: [next()],
      span,
    };
    const place = { threadId, threadVersion: 70, version, policyVersion: "p", createdAt: START };
    const plan = sealPlan({ ...groupRecords([record]), ...place, originalTokens: 100, compactedTokens: 90 });
    await store.plans.commitPlan(threadId, plan, version - 1);
  }
  for (let count = 0; count < 5; count++) await cache?.set(`key ${count}`, next());
  const threadDigest = thread.digest;
  await store.journal.append(threadId, { type: "entries-appended", threadVersion: 70, threadDigest }, START);
  if (number < CANARIES - 5) throw new Error(`only ${number} canaries`);
}
