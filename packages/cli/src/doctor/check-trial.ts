import { join } from "node:path";
import {
  type AgentThread,
  asMessageId,
  asThreadId,
  type CompactionPlan,
  groupRecords,
  type MessageInput,
  sealPlan,
  spanOf,
  ThreadfoldError,
  type ThreadfoldStore,
} from "@threadfold/core";
import { openSqliteStore } from "@threadfold/stores/sqlite";
import { attempted, type Checkup, checkup } from "./checkup.ts";

/** Opens a store that nothing else uses. */
export type OpenTrial = (path: string) => Promise<ThreadfoldStore>;

const THREAD = asThreadId("doctor");
const AT = "2025-01-01T00:00:00.000Z";
const WORD = "stethoscope";
const MESSAGES: readonly MessageInput[] = [0, 1, 2].map((number) => ({
  id: asMessageId(`m${number}`),
  role: "user",
  createdAt: AT,
  parts: [{ type: "text", text: `${WORD} ${number}` }],
}));
const CONTENT = `the ${WORD} as an artifact`;

/**
 * SQLITE_ERROR, SQLITE_MISUSE and SQLITE_RANGE: this SQLite, or Node's binding to it, does not support the operation.
 */
const NOT_ABLE = new Set([1, 21, 25]);

/**
 * Does in a folder what a session does: creates a store, writes messages, a plan, an artifact, a journal entry and
 * search terms, closes it, reopens it and reads everything back.
 */
export async function checkTrial(folder: string, open: OpenTrial = openSqliteStore): Promise<readonly Checkup[]> {
  const path = join(folder, "trial.db");
  const stages: Checkup[] = [];
  const stage = async (name: string, found: string, work: () => Promise<void>): Promise<void> => {
    if (stages.some(({ status }) => status === "failed")) return;
    stages.push(
      ...(await attempted(name, async () => {
        await fitting(work);
        return [checkup(name, "ok", found)];
      })),
    );
  };
  await stage("store.write-ahead-log", "a new store opens with a write-ahead log (synchronous=FULL)", () =>
    within(open, path, async () => undefined),
  );
  await stage("store.write", "messages, a plan, an artifact, a journal entry and words for search are accepted", () =>
    within(open, path, write),
  );
  await stage("store.read", "opened again, it returns all of them", () => within(open, path, read));
  return stages;
}

async function within(open: OpenTrial, path: string, work: (store: ThreadfoldStore) => Promise<void>): Promise<void> {
  const store = await open(path);
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

async function write({ threads, plans, artifacts, journal, recall }: ThreadfoldStore): Promise<void> {
  const entries = MESSAGES.map((message) => ({ type: "message", message }) as const);
  await threads.append(THREAD, entries.slice(0, 2), { expectedVersion: "no-thread", idempotencyKey: "first" });
  await threads.append(THREAD, entries.slice(2), { expectedVersion: 2 });
  const thread = await threads.load(THREAD);
  if (thread === null) throw notGivenBack("a thread");
  await plans.commitPlan(THREAD, planOf(thread), 0);
  const { version: threadVersion, digest: threadDigest } = thread;
  await journal.append(THREAD, { type: "entries-appended", threadVersion, threadDigest }, AT);
  await artifacts.store(CONTENT, {
    threadId: THREAD,
    tenantId: null,
    createdAt: AT,
    ttlSeconds: null,
    sensitivity: "internal",
    mediaType: "text/plain",
  });
  await recall?.index(THREAD, thread.messages);
}

async function read({ threads, plans, artifacts, journal, ranges, recall }: ThreadfoldStore): Promise<void> {
  const thread = await threads.load(THREAD);
  if (thread?.length !== MESSAGES.length) throw notGivenBack("its messages");
  const { plan } = await plans.getCurrentPlan(THREAD);
  if (plan?.planId !== planOf(thread).planId) throw notGivenBack("its plan");
  const [artifactId] = await artifacts.list(THREAD);
  const artifact = artifactId === undefined ? null : await artifacts.retrieve(artifactId);
  if (artifact?.content !== CONTENT) throw notGivenBack("its artifact");
  if ((await journal.read(THREAD)).length !== 1) throw notGivenBack("its journal");
  const resumed = await ranges?.resume(THREAD);
  if (resumed != null && resumed.thread.digest !== thread.digest) throw notGivenBack("its newest messages");
  const found = await recall?.search(THREAD, { text: WORD });
  if (found !== undefined && found.total !== MESSAGES.length) throw notGivenBack("what is searched for");
}

function planOf(thread: AgentThread): CompactionPlan {
  const record = {
    action: "drop" as const,
    strategy: "doctor",
    reason: "trial",
    sincePlanVersion: 1,
    originalTokens: 1,
    keywords: [],
    span: spanOf(thread.messagesBetween(0, 1)),
  };
  return sealPlan({
    ...groupRecords([record]),
    threadId: THREAD,
    threadVersion: thread.version,
    version: 1,
    policyVersion: "doctor",
    createdAt: AT,
    originalTokens: 3,
    compactedTokens: 2,
  });
}

const notGivenBack = (what: string): ThreadfoldError =>
  new ThreadfoldError("STORE_CORRUPT", `The store does not return ${what}.`, {
    hint: "This disk loses what is written to it, or changes it. Put the store on a different one.",
  });

/**
 * Errors of a trial store have different causes from those of an existing one: nobody damaged it, and nobody else has
 * it open.
 */
async function fitting(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!ThreadfoldError.isInstance(cause) || !NOT_ABLE.has(Number(cause.details["sqliteCode"]) & 0xff)) throw cause;
    throw new ThreadfoldError(cause.code, cause.message, {
      hint: "The SQLite of this Node.js does not do what a store needs. Install the newest release of Node.js 22 or 24.",
      details: cause.details,
      cause,
    });
  }
}
