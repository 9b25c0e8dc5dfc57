import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { asThreadId } from "@threadfold/core";
import { message, patience, runs } from "@threadfold/core/laws";
import { openStore } from "@threadfold/stores";
import { afterAll, describe, expect, it } from "vitest";
import { openSession, work } from "../testing/agent-work.ts";
import { findPostgres, freshSchemas, withoutFlush } from "../testing/postgres-service.ts";

const service = await findPostgres();
// The other process reads what was written, on whatever disk it is.
const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-replay-"));
const TURNS = runs(1_000, 5_000).numRuns;
/** The claim is about a thread of 1,000 turns; that another backend gives the same, shorter ones show as well. */
const POSTGRES_TURNS = runs(300, 5_000).numRuns;
const THREADS = runs(1, 10).numRuns;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the other process made of the store. */
interface Replayed {
  readonly digests: readonly (string | null)[];
  readonly problems: readonly string[];
  readonly findings: readonly string[];
}

/** Works through long threads, each of other sizes, and adds up what came of replaying them. */
async function replayAll(address: string, turns: number, schema?: string) {
  const totals = { threads: THREADS, requests: 0, plans: 0, rehydrated: 0 };
  for (let number = 0; number < THREADS; number++) {
    const { requests, plans, rehydrated } = await replayElsewhere(number, address, turns, schema);
    totals.requests += requests;
    totals.plans += plans;
    totals.rehydrated += rehydrated;
  }
  return { turns, ...totals, equal: "100 %" };
}

/** Works through a long thread, then replays it in a process of another time zone and locale that knows the store alone. */
async function replayElsewhere(number: number, address: string, turns: number, schema?: string) {
  const threadId = asThreadId(`long-${number}`);
  const store = await openStore(address, schema === undefined ? {} : { postgres: { schema } });
  const config = { maxInputTokens: 8_000 + 700 * number, enableRetrieval: false };
  const session = await openSession({ threadId, store, config });
  const digests: string[] = [];
  let rehydrated = 0;
  for (let turn = 0; turn < turns; turn++) {
    const wanted = session.plan.externalizations.at(-1)?.artifactId;
    const need = turn % 10 === 9 && wanted !== undefined ? ` I need ${wanted}.` : "";
    // One result in seven, or in some more, is large enough to be externalized.
    await session.append([
      message(`u${turn}`, "user", `Do step ${turn}. ${turn % 50 === 0 ? `Never skip step ${turn}.` : ""}`),
      ...work(turn, turn + 1, turn % (7 + number) === 0 ? 1_300 : 60),
      message(`d${turn}`, "assistant", `Step ${turn} is done.${need}`),
    ]);
    const prepared = await session.prepare();
    expect(prepared.violations).toEqual([]);
    digests.push(prepared.digest);
    rehydrated += prepared.rehydrated.length;
  }
  const { version } = session.plan;
  await session.close();
  await store.close();
  const script = fileURLToPath(new URL("replay.process.ts", import.meta.url));
  const argv = ["--conditions=threadfold-source", script, address, threadId, ...(schema === undefined ? [] : [schema])];
  const env = { ...process.env, TZ: "Pacific/Kiritimati", LC_ALL: "tr_TR.UTF-8" };
  const { stdout } = await promisify(execFile)(process.execPath, argv, { env, maxBuffer: 2 ** 26 });
  const replayed = JSON.parse(stdout) as Replayed;
  expect(replayed.problems).toEqual([]);
  expect(replayed.findings).toEqual([]);
  expect(replayed.digests).toEqual(digests);
  expect(version).toBeGreaterThan(5);
  expect(rehydrated).toBeGreaterThan(0);
  return { requests: digests.length, plans: version, rehydrated };
}

describe("R13 R14 the requests of a long thread, rendered again by another process", () => {
  it("R13 R14 are the same bytes, every one, from a SQLite file (1,000 turns)", {
    timeout: patience(300_000, 15_000_000),
  }, async ({ task }) => {
    const figures = await replayAll(join(folder, "store.db"), TURNS);
    Object.assign(task.meta, { figures: { backend: "SQLite", ...figures } });
  });

  it.skipIf(!service.isThere)(
    `R13 R14 are the same bytes, every one, from PostgreSQL (300 turns)${service.note}`,
    { timeout: patience(300_000, 15_000_000) },
    async ({ task }) => {
      const address = withoutFlush(service.url);
      const schemas = freshSchemas(address);
      try {
        const figures = await replayAll(address, POSTGRES_TURNS, schemas.fresh());
        Object.assign(task.meta, { figures: { backend: "PostgreSQL", ...figures } });
      } finally {
        await schemas.drop();
      }
    },
  );
});
