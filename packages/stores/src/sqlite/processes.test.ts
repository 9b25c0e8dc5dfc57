import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runs } from "@threadfold/core/laws";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import { THREAD } from "../laws/sample-data.ts";
import type { CommitsAnswer, CommitsRequest } from "../reliability/shared-file.process.ts";
import { SOURCE_ARGUMENTS, unlessEnded } from "../testing/child.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const SCRIPT = fileURLToPath(new URL("../reliability/shared-file.process.ts", import.meta.url));

// What the first child has compiled serves the others; starting them is most of what these tests do.
const compiled = mkdtempSync(join(tmpdir(), "threadfold-compiled-"));
const env = { ...process.env, NODE_COMPILE_CACHE: compiled };
afterAll(() => rmSync(compiled, { recursive: true, force: true }));

let folder: string;
let path: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  // Who wins does not depend on the disk, and thousands of appends need not wait for one.
  folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-"));
  path = join(folder, "store.db");
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const PROCESSES = runs(4, 8).numRuns;
/** Of each process. */
const CONNECTIONS = runs(8, 16).numRuns;

describe("processes that share one SQLite file", () => {
  it("can all create the same new store at the same time (4 processes × 40 files)", async () => {
    const files = Array.from({ length: runs(40).numRuns as number }, (_, index) => `${path}-${index}`);
    const openers = Array.from({ length: 4 }, () =>
      fork(SCRIPT, ["open", ...files], { execArgv: [...SOURCE_ARGUMENTS], env }),
    );
    children.push(...openers);
    const codes = await Promise.all(openers.map(async (opener) => (await once(opener, "exit"))[0] as number));
    expect(codes).toEqual([0, 0, 0, 0]);
  });

  it("R4 have exactly one winner for each plan version, and never lose an append (32 connections of 4 processes × 200 rounds)", async ({
    task,
  }) => {
    const { numRuns: rounds } = runs(200, 1_000);
    const committers = PROCESSES * CONNECTIONS;
    Object.assign(task.meta, { figures: { backend: "SQLite", processes: PROCESSES, committers, rounds } });
    const authors = Array.from({ length: PROCESSES }, (_, number) => `author ${number}`);
    const workers = authors.map((author) =>
      fork(SCRIPT, ["commit", path, author, `${CONNECTIONS}`], {
        execArgv: [...SOURCE_ARGUMENTS],
        env,
      }),
    );
    children.push(...workers);
    const ask = async (request: CommitsRequest): Promise<readonly CommitsAnswer[]> => {
      const answers = workers.map(async (worker) => {
        const [answer] = await unlessEnded(worker, once(worker, "message") as Promise<[CommitsAnswer[]]>);
        return answer;
      });
      for (const worker of workers) worker.send(request);
      return (await Promise.all(answers)).flat();
    };
    const created = await ask({ do: "create" });
    const refused = (outcome: string): readonly string[] => Array<string>(committers - 1).fill(outcome);
    expect(created.map(({ append }) => append).sort()).toEqual([...refused("VERSION_CONFLICT"), "appended"]);
    for (let version = 1; version <= rounds; version++) {
      const answers = await ask({ do: "commit", version });
      expect(answers.map(({ commit }) => commit).sort()).toEqual(["committed", ...refused("conflict")]);
      expect(answers.every(({ append }) => append === "appended")).toBe(true);
    }
    for (const worker of workers) worker.disconnect();
    const store = await openSqliteStore(path);
    expect((await store.threads.load(THREAD))?.version).toBe(1 + rounds * committers);
    expect((await store.plans.listPlans(THREAD)).map(({ version }) => version)).toEqual(
      Array.from({ length: rounds }, (_, index) => index + 1),
    );
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
  });
});
