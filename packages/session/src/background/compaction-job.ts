import { sha256, ThreadfoldError, type ThreadId, threadIdSchema } from "@threadfold/core";
import { z } from "zod";

/** What a worker is asked to fold. It says which thread and under which figures, and holds nothing that anybody said. */
export interface CompactionJob {
  readonly schemaVersion: 1;
  readonly threadId: ThreadId;
  /** Whose thread it is: the worker opens the store of this tenant. */
  readonly tenantId: string | null;
  /** The plan that held when the job was asked for. A newer one means that somebody has folded since. */
  readonly planVersion: number;
  /** Entries that the thread had then. What came since is folded as well when the worker gets to see it. */
  readonly threadVersion: number;
  /** Tokens that a request to the agent's model may have. */
  readonly maxInputTokens: number;
  /** Share of `maxInputTokens` from which on the worker folds. */
  readonly softThreshold: number;
}

const count = z.int().nonnegative();

const jobSchema: z.ZodType<CompactionJob> = z.strictObject({
  schemaVersion: z.literal(1),
  threadId: threadIdSchema,
  tenantId: z.string().min(1).max(1_000).nullable(),
  planVersion: count,
  threadVersion: count,
  maxInputTokens: z.int().positive(),
  softThreshold: z.number().gt(0).max(1),
});

/** Reads a job that came out of a queue. @throws ThreadfoldError `WRONG_FORMAT` when it is none, or one of another version. */
export function parseCompactionJob(data: unknown): CompactionJob {
  const parsed = jobSchema.safeParse(data);
  if (parsed.success) return Object.freeze(parsed.data);
  const fields = [...new Set(parsed.error.issues.map(({ path }) => path.join(".") || "(whole)"))].join(", ");
  throw new ThreadfoldError("WRONG_FORMAT", `A job of the queue is no compaction job: ${fields}.`, {
    hint: "Give compaction a queue of its own, and let workers be no older than the sessions that ask them.",
  });
}

/** Names a thread of a tenant among all jobs: jobs of one name are never in flight together. */
export const compactionJobKey = ({ tenantId, threadId }: Pick<CompactionJob, "tenantId" | "threadId">): string =>
  sha256(JSON.stringify([tenantId, threadId]));
