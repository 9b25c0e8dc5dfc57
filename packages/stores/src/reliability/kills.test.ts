import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ThreadfoldStore } from "@threadfold/core";
import { patience, runs } from "@threadfold/core/laws";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import { THREAD } from "../laws/sample-data.ts";
import { openPostgresStore } from "../postgres/postgres-store.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { childEnvironment, nodeArguments, removeCompiled, unlessEnded } from "../testing/child.ts";
import { connectForTests, findPostgres, freshSchema } from "../testing/services.ts";
import { freshFolder, onLanes } from "./rounds.ts";

afterAll(removeCompiled);

const service = await findPostgres({ flushes: true });
const PER_FILE = 10;
const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
});

/** A child that writes once it is told to, and what it has acknowledged so far. */
interface Writer {
  readonly child: ChildProcess;
  readonly acknowledged: { append: number; commit: number; count: number };
  readonly ready: Promise<unknown>;
}

function startWriter(address: readonly string[]): Writer {
  const child = spawn(process.execPath, nodeArguments("reliability/writer.process.ts", address), {
    stdio: ["pipe", "pipe", "inherit"],
    env: childEnvironment(),
  });
  children.add(child);
  const acknowledged = { append: 0, commit: 0, count: 0 };
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const ready = unlessEnded(child, once(lines, "line"));
  // A writer that a failed test no longer waits for is killed, which is no failure of its own.
  ready.catch(() => undefined);
  lines.on("line", (line) => {
    const [what, version] = line.split(" ");
    if (what !== "append" && what !== "commit") return;
    acknowledged[what] = Number(version);
    acknowledged.count++;
  });
  return { child, acknowledged, ready };
}

/** Lets a child write, and kills it a while after its first acknowledgement. */
async function killWhileWriting({ child, acknowledged, ready }: Writer, afterMs: number): Promise<void> {
  await ready;
  const gone = once(child, "close");
  child.stdin?.write("go\n");
  while (acknowledged.count === 0 && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1));
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  expect(child.exitCode).toBeNull();
  child.kill("SIGKILL");
  await gone;
  children.delete(child);
}

/**
 * Kills writers of one store, one after the other, and compares what they acknowledged with what is there.
 *
 * @param addressOf of the store, for the nth writer.
 * @param open opens it once nothing more comes of the nth writer, which was killed.
 */
async function surviveKills(
  kills: number,
  addressOf: (writer: number) => readonly string[],
  open: (killed: number) => Promise<ThreadfoldStore>,
): Promise<number> {
  let acknowledged = 0;
  let before = { version: 0, plans: 0 };
  let next = startWriter(addressOf(0));
  for (let kill = 0; kill < kills; kill++) {
    const current = next;
    // The next child starts up while this one works, which keeps the test short.
    if (kill + 1 < kills) next = startWriter(addressOf(kill + 1));
    await killWhileWriting(current, (kill * 7) % 31);
    const store = await open(kill);
    // One write may have been kept whose acknowledgement was cut off; nothing else may be more or less.
    const version = (await store.threads.load(THREAD))?.version ?? 0;
    const plans = (await store.plans.getCurrentPlan(THREAD)).version;
    await store.close();
    const appended = Math.max(before.version, current.acknowledged.append);
    const committed = Math.max(before.plans, current.acknowledged.commit);
    expect([appended, appended + 1]).toContain(version);
    expect([committed, committed + 1]).toContain(plans);
    before = { version, plans };
    acknowledged += current.acknowledged.count;
  }
  const store = await open(kills - 1);
  expect(await verifyStore(store)).toEqual([]);
  const thread = await store.threads.load(THREAD);
  expect(new Set([...(thread?.messages ?? [])].map(({ id }) => id)).size).toBe(before.version);
  expect((await store.plans.listPlans(THREAD)).map(({ version }) => version)).toEqual(
    Array.from({ length: before.plans }, (_, index) => index + 1),
  );
  await store.close();
  return acknowledged;
}

describe("R1 a process that is killed with SIGKILL while it appends and commits", () => {
  it("R1 loses nothing that it acknowledged, in a SQLite file (200 kills)", { timeout: patience(240_000) }, async ({
    task,
  }) => {
    const kills = runs(200, 2_000).numRuns;
    const { path, remove } = freshFolder();
    let acknowledged = 0;
    // Some kills for each file: one that has grown long takes longer to check, and no other crash.
    await onLanes(4, Math.ceil(kills / PER_FILE), async (round) => {
      const file = join(path, `${round}.db`);
      const count = await surviveKills(
        PER_FILE,
        () => [file],
        () => openSqliteStore(file),
      );
      acknowledged += count;
    });
    Object.assign(task.meta, { figures: { backend: "SQLite", kills, acknowledged, lost: 0, gaps: 0, duplicates: 0 } });
    remove();
  });

  it.skipIf(!service.isThere)(
    `R1 loses nothing that it acknowledged, as a client of PostgreSQL (20 kills)${service.note}`,
    async ({ task }) => {
      const kills = runs(20, 400).numRuns;
      const owner = connectForTests(service.url, 2);
      const place = freshSchema(owner);
      try {
        await (await openPostgresStore(owner, { schema: place.schema })).close();
        const nameOf = (writer: number): string => `${place.schema}-${writer}`;
        const addressOf = (writer: number): readonly string[] => {
          const url = new URL(service.url);
          url.searchParams.set("application_name", nameOf(writer));
          return [url.href, place.schema];
        };
        const acknowledged = await surviveKills(kills, addressOf, async (killed) => {
          await untilGone(owner, nameOf(killed));
          return openPostgresStore(owner, { schema: place.schema });
        });
        Object.assign(task.meta, {
          figures: { backend: "PostgreSQL", kills, acknowledged, lost: 0, gaps: 0, duplicates: 0 },
        });
      } finally {
        await place.drop();
        await owner.close();
      }
    },
  );
});

/** What a killed client sent last, the server may still have to read and do: only when it knows no such client is it settled. */
async function untilGone(owner: ReturnType<typeof connectForTests>, client: string): Promise<void> {
  for (;;) {
    const [row] = await owner.query<{ there: number }>(
      "SELECT count(*)::int AS there FROM pg_stat_activity WHERE application_name = $1",
      [client],
    );
    if (row?.there === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
