import { readdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { AgentThread, asThreadId, type ThreadfoldStore } from "@threadfold/core";
import { openStore } from "@threadfold/stores";
import { describe, expect, it, vi } from "vitest";
import { checkTrial } from "../doctor/check-trial.ts";
import type { Checkup } from "../doctor/checkup.ts";
import { captureRun } from "../testing/captured-io.ts";
import { json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();

/** Runs the doctor and gives its checks by their names. */
async function examined(argv: readonly string[]) {
  const { code, envelope } = await json(["doctor", ...argv]);
  const { checks } = envelope.data as { readonly checks: readonly Checkup[] };
  return { code, envelope, checks: new Map(checks.map((check) => [check.name, check])) };
}

/** What Node below 22.20 threw for statements that number their values. */
const rangeError = Object.assign(new Error("column index out of range"), { code: "ERR_SQLITE_ERROR", errcode: 25 });

/** A port of this machine at which nobody listens. */
async function deadPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("doctor", () => {
  it("looks at Node, SQLite, drivers, and the disk, and leaves nothing behind", async () => {
    const { code, checks } = await examined(["--store", bench.store]);
    expect(code).toBe(0);
    for (const name of ["node", "sqlite", "driver.pg", "driver.ioredis", "driver.@aws-sdk/client-s3"])
      expect(checks.has(name), name).toBe(true);
    for (const name of ["node", "sqlite", "store.write-ahead-log", "store.write", "store.read"])
      expect(checks.get(name)?.status, name).toBe("ok");
    expect(checks.get("store.fsync")?.found).toMatch(/^fsync of a page takes \d+\.\d\d ms/);
    expect(checks.get("store")?.status).toBe("missing");
    expect(readdirSync(bench.root)).toEqual([]);
  });

  it("fails with the code of an unavailable store, and says why, on a Node whose SQLite takes no value", async () => {
    const prepare = DatabaseSync.prototype.prepare;
    vi.spyOn(DatabaseSync.prototype, "prepare").mockImplementation(function (this: DatabaseSync, sql, ...options) {
      if (sql.includes("INSERT INTO plans")) throw rangeError;
      return prepare.call(this, sql, ...options);
    });
    const { code, envelope, checks } = await examined(["--store", bench.store]);
    vi.restoreAllMocks();
    expect([code, envelope.error?.code]).toEqual([7, "STORE_UNAVAILABLE"]);
    expect(checks.get("store.write-ahead-log")?.status).toBe("ok");
    expect(checks.get("store.write")).toMatchObject({
      status: "failed",
      found: expect.stringContaining("column index out of range (SQLite 25)"),
      hint: expect.stringContaining("Node.js"),
    });
    expect(envelope.error).toMatchObject({
      message: expect.stringContaining("store.write"),
      hint: checks.get("store.write")?.hint,
    });
    expect(checks.has("store.read")).toBe(false);
    expect(readdirSync(bench.root)).toEqual([]);
  });

  it("finds a disk that loses what was written between two openings", async () => {
    /** The same store at every opening, or one that has lost something by the second. */
    const trial = async (afterwards: (kept: ThreadfoldStore) => Partial<ThreadfoldStore>) => {
      const kept = await openStore("memory:");
      let openings = 0;
      return checkTrial(bench.root, async () => ({
        ...kept,
        ...(++openings > 2 && afterwards(kept)),
        close: async () => undefined,
      }));
    };
    expect((await trial(() => ({}))).map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
    const empty = await openStore("memory:");
    const losses: readonly [string, (kept: ThreadfoldStore) => Partial<ThreadfoldStore>][] = [
      ["its messages", () => ({ threads: empty.threads })],
      ["its plan", () => ({ plans: empty.plans })],
      ["its artifact", () => ({ artifacts: empty.artifacts })],
      ["its journal", () => ({ journal: empty.journal })],
      [
        "its newest messages",
        () => ({ ranges: { resume: async () => ({ thread: AgentThread.empty(asThreadId("doctor")) }) } as never }),
      ],
      [
        "what is searched for",
        () => ({ recall: { search: async () => ({ hits: [], total: 0, nextCursor: null }) } as never }),
      ],
    ];
    for (const [what, afterwards] of losses) {
      expect((await trial(afterwards)).at(-1)).toMatchObject({
        name: "store.read",
        status: "failed",
        found: `The store does not return ${what}.`,
        hint: expect.stringContaining("disk"),
      });
    }
  });

  it("opens a store that is there, and prints a table that fits the page", async () => {
    await (await openStore(bench.store)).close();
    const { code, stdout } = await captureRun(["doctor", "--store", bench.store], { columns: 100 });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {7}node {2,}Node\.js \d+/);
    expect(stdout).toMatch(/^ok {7}store {2,}opens;/m);
  });

  it("fails with the code of an unavailable store for a file that is none, or a folder that is not there", async () => {
    writeFileSync(bench.path("notes.db"), "these are notes");
    const foreign = await examined(["--store", bench.path("notes.db")]);
    expect([foreign.code, foreign.checks.get("store")?.status]).toEqual([7, "failed"]);
    expect(foreign.envelope.error?.code).toBe("STORE_UNAVAILABLE");
    const nowhere = await examined(["--store", bench.path("none/sessions.db")]);
    expect([nowhere.code, nowhere.checks.get("store.folder")?.status]).toEqual([7, "failed"]);
  });

  it("says when a server does not answer, and repeats neither its address nor its password", async () => {
    const port = await deadPort();
    const postgres = await captureRun(["doctor", "--store", `postgres://ada:secret@127.0.0.1:${port}/x`, "--json"]);
    expect(postgres.code).toBe(7);
    expect(postgres.stdout).toContain('"name":"postgres","status":"failed"');
    const redis = await examined(["--store", bench.store, "--redis", `redis://:secret@127.0.0.1:${port}`]);
    expect([redis.code, redis.checks.get("redis")?.status]).toEqual([7, "failed"]);
    expect(postgres.stdout + JSON.stringify(redis.envelope)).not.toMatch(/secret|ada/);
  });

  it("refuses an empty address", async () => {
    expect((await captureRun(["doctor", "--redis", ""])).code).toBe(2);
  });
});
