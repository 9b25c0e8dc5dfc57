import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { THREAD } from "../conformance/sample-data.ts";
import { verifyStore } from "../inspection/verify-store.ts";
import type { CommitsAnswer, CommitsRequest } from "./commits.process.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const CONDITIONS = ["--conditions=threadfold-source"];
const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

// What the first child has compiled serves the others; starting them is most of what these tests do.
const compiled = mkdtempSync(join(tmpdir(), "threadfold-compiled-"));
const env = { ...process.env, NODE_COMPILE_CACHE: compiled };
afterAll(() => rmSync(compiled, { recursive: true, force: true }));

let folder: string;
let path: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-"));
  path = join(folder, "store.db");
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** A child that appends once it is told to, and the versions that it acknowledged so far. */
interface Appender {
  readonly child: ChildProcess;
  readonly acknowledged: number[];
  readonly ready: Promise<unknown>;
}

function startAppender(): Appender {
  const child = spawn(process.execPath, [...CONDITIONS, script("appends.process.ts"), path], {
    stdio: ["pipe", "pipe", "inherit"],
    env,
  });
  children.push(child);
  const acknowledged: number[] = [];
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const ready = once(lines, "line");
  lines.on("line", (line) => line === "ready" || acknowledged.push(Number(line)));
  return { child, acknowledged, ready };
}

/** Lets a child append, kills it after its first acknowledgement and a while, and gives the last version it acknowledged. */
async function killWhileAppending({ child, acknowledged, ready }: Appender, afterMs: number): Promise<number> {
  await ready;
  child.stdin?.write("go\n");
  while (acknowledged.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill("SIGKILL");
  await once(child, "close");
  return acknowledged.at(-1) ?? 0;
}

describe("processes that share one SQLite file", () => {
  it("R1 lose no acknowledged append when they are killed", async () => {
    const kills = 15;
    let next = startAppender();
    for (let kill = 0; kill < kills; kill++) {
      const current = next;
      // The next child starts up while this one works, which keeps the test short.
      if (kill + 1 < kills) next = startAppender();
      const acknowledged = await killWhileAppending(current, (kill * 7) % 30);
      const store = await openSqliteStore(path);
      const version = (await store.threads.load(THREAD))?.version ?? 0;
      await store.close();
      // One append may have been kept whose acknowledgement was cut off; nothing else may be more or less.
      expect([acknowledged, acknowledged + 1]).toContain(version);
    }
    const store = await openSqliteStore(path);
    expect(await verifyStore(store)).toEqual([]);
    const ids = new Set([...((await store.threads.load(THREAD))?.messages ?? [])].map(({ id }) => id));
    expect(ids.size).toBe((await store.threads.load(THREAD))?.version);
    await store.close();
  });

  it("R4 have exactly one winner for each plan version, and never lose an append", async () => {
    const rounds = 25;
    const authors = ["one", "two", "three", "four"];
    const workers = authors.map((author) =>
      fork(script("commits.process.ts"), [path, author], { execArgv: CONDITIONS, env }),
    );
    children.push(...workers);
    const ask = async (request: CommitsRequest): Promise<readonly CommitsAnswer[]> => {
      const answers = workers.map(async (worker) => ((await once(worker, "message")) as [CommitsAnswer])[0]);
      for (const worker of workers) worker.send(request);
      return Promise.all(answers);
    };
    const created = await ask({ do: "create" });
    expect(created.map(({ append }) => append).sort()).toEqual([
      "VERSION_CONFLICT",
      "VERSION_CONFLICT",
      "VERSION_CONFLICT",
      "appended",
    ]);
    for (let version = 1; version <= rounds; version++) {
      const answers = await ask({ do: "commit", version });
      expect(answers.map(({ commit }) => commit).sort()).toEqual(["committed", "conflict", "conflict", "conflict"]);
      expect(answers.every(({ append }) => append === "appended")).toBe(true);
    }
    for (const worker of workers) worker.disconnect();
    const store = await openSqliteStore(path);
    expect((await store.threads.load(THREAD))?.version).toBe(1 + rounds * authors.length);
    expect((await store.plans.listPlans(THREAD)).map(({ version }) => version)).toEqual(
      Array.from({ length: rounds }, (_, index) => index + 1),
    );
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
  });
});
