import { openPostgresStore } from "@threadfold/stores/postgres";
import { summarizeStrategy, threadfoldPreset } from "@threadfold/strategies";
import { ExtractiveSummarizer } from "@threadfold/summarizers";
import { PgBoss } from "pg-boss";
import { tokenizer } from "../testing/agent-work.ts";
import {
  type CompactionWorkerEvent,
  type CompactionWorkerFigures,
  startCompactionWorker,
} from "./compaction-worker.ts";
import { pgBossQueue } from "./pg-boss-queue.ts";

/** A message from the parent: let a waiting fold continue, or stop. */
export type WorkerOrder = "go" | "stop";

/** A message from the worker: it is ready, it is waiting in the middle of a fold, what it did, or how it ended. */
export type WorkerWord =
  | { readonly is: "ready" | "folding" }
  | { readonly is: "event"; readonly event: CompactionWorkerEvent }
  | { readonly is: "stopped"; readonly figures: CompactionWorkerFigures };

const [connectionString, schema, queueSchema] = process.argv.slice(2) as [string, string, string];
const say = (word: WorkerWord): void => void process.send?.(word);
let go = Promise.withResolvers<void>();
let hasSaid = false;

/** Simulates one of several machines with a worker. In the middle of every job it waits once until told to continue. */
const boss = new PgBoss({
  connectionString,
  schema: queueSchema,
  max: 3,
  schedule: false,
  superviseIntervalSeconds: 1,
  monitorIntervalSeconds: 1,
});
boss.on("error", () => undefined);
await boss.start();
const queue = pgBossQueue({ boss, pollSeconds: 0.5 });
const worker = await startCompactionWorker({
  queue,
  openStore: (tenantId) => openPostgresStore(connectionString, { schema, tenantId, maxConnections: 2 }),
  session: {
    tokenizer,
    config: { costModelEnabled: false, softThresholdPercent: 0.85, targetPercent: 0.5 },
    preset: { ...threadfoldPreset, ladder: [summarizeStrategy], config: { policyVersion: "tests" } },
    summarizer: {
      id: "ordered@1",
      summarize: async (request) => {
        if (!hasSaid) say({ is: "folding" });
        hasSaid = true;
        await go.promise;
        return new ExtractiveSummarizer().summarize(request);
      },
    },
  },
  onEvent: (event) => {
    if (event.type === "job-started") {
      go = Promise.withResolvers<void>();
      hasSaid = false;
    }
    say({ is: "event", event });
  },
});
process.on("message", async (order: WorkerOrder) => {
  go.resolve();
  if (order === "go") return;
  await worker.stop();
  await boss.stop({ graceful: true });
  say({ is: "stopped", figures: worker.figures() });
  process.disconnect();
});
process.on("disconnect", () => process.exit());
say({ is: "ready" });
