import { type SpawnOptions, spawn } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { asMessageId, asThreadId, type ThreadEntryInput } from "@threadfold/core";
import { openStore } from "@threadfold/stores";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compactDataSchema, envelopeSchema } from "./testing/envelope-schema.ts";
import { commandArguments, removeBundle } from "./testing/from-source.ts";
import { LONG, openAiSession } from "./testing/recorded-sessions.ts";

afterAll(removeBundle);

let root: string;
let session: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "threadfold-main-"));
  session = join(root, "long.json");
  writeFileSync(session, openAiSession(LONG));
});
afterAll(() => rmSync(root, { recursive: true }));

const message = (number: number): ThreadEntryInput => ({
  type: "message",
  message: {
    id: asMessageId(`m${number}`),
    role: "user",
    createdAt: "2025-01-01T00:00:00.000Z",
    parts: [{ type: "text", text: `message ${number}` }],
  },
});

/** Starts the command from its sources. */
function start(argv: readonly string[], options: SpawnOptions = {}) {
  const child = spawn(process.execPath, [...commandArguments(), ...argv], {
    stdio: ["ignore", "pipe", "pipe"],
    ...options,
  });
  const printed = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => (printed.stdout += chunk));
  child.stderr?.on("data", (chunk) => (printed.stderr += chunk));
  const ended = new Promise<{ readonly code: number | null; readonly signal: string | null } & typeof printed>(
    (resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) =>
        resolve({ code, signal, ...printed, stderr: withoutProgress(printed.stderr) }),
      );
    },
  );
  return { child, ended };
}

/** What takes long says how far it is: on a machine at work, that is everything. */
const withoutProgress = (stderr: string): string => stderr.replace(/^[a-z]+ \d+ %\n/gm, "");

describe("the process", () => {
  it("prints data on stdout and gives the same bytes in another time zone and locale", async () => {
    const argv = ["compact", session, "--budget", "8000", "--json"];
    const places = [
      { TZ: "UTC", LANG: "C", LC_ALL: "C" },
      { TZ: "Pacific/Kiritimati", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" },
    ];
    const runs = await Promise.all(places.map((place) => start(argv, { env: { ...process.env, ...place } }).ended));
    const requests = runs.map(({ code, stdout, stderr }) => {
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout.trimEnd().split("\n")).toHaveLength(1);
      return compactDataSchema.parse(envelopeSchema.parse(JSON.parse(stdout)).data).request;
    });
    expect(requests[1]).toEqual(requests[0]);
  });

  it("prints messages on stderr, colours only when they are forced on a pipe, and fails with its code", async () => {
    const { code, stdout, stderr } = await start(["compact", join(root, "none.json")], {
      env: { ...process.env, FORCE_COLOR: "1", NO_COLOR: undefined },
    }).ended;
    expect([code, stdout]).toEqual([5, ""]);
    expect(stderr).toContain("\u001b[31merror:\u001b[39m");
    expect(stderr).toContain("(UNREADABLE_SOURCE)");
  });

  it("reads a session or a request from standard input", async () => {
    const folded = start(["compact", "-", "--budget", "8000", "--json"], { stdio: ["pipe", "pipe", "pipe"] });
    folded.child.stdin?.end(openAiSession(LONG));
    const { code, stdout } = await folded.ended;
    expect(code).toBe(0);
    const { data } = envelopeSchema.parse(JSON.parse(stdout));
    expect(compactDataSchema.parse(data).source.messages).toBeGreaterThan(100);
    const linted = start(["lint", "-", "--format", "openai-chat"], { stdio: ["pipe", "pipe", "pipe"] });
    linted.child.stdin?.end(JSON.stringify({ messages: [{ role: "user", content: "Hi." }] }));
    expect(await linted.ended).toMatchObject({ code: 0, stderr: "" });
  });

  it.skipIf(process.platform !== "linux")("says why its output cannot be written", async () => {
    const full = openSync("/dev/full", "w");
    const { code, stderr } = await start(["presets"], { stdio: ["ignore", full, "pipe"] }).ended;
    closeSync(full);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("no space left on device, write. (OUTPUT_UNWRITABLE)\nhint: "),
    ]);
  });

  it("ends quietly when nobody reads any more", async () => {
    const { child, ended } = start(["compact", session, "--budget", "8000", "--json"]);
    child.stdout?.destroy();
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
  });

  it("stops on Ctrl-C with 130, or as the signal ends it, and leaves nothing half-written", async () => {
    const huge = join(root, "huge.jsonl");
    const line = (id: number) =>
      `{"type":"message","timestamp":"2025-11-20T10:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"${id} ${"x".repeat(600)}"}]}}\n`;
    const lines = Array.from({ length: 60_000 }, (_, id) => line(id)).join("");
    writeFileSync(huge, `{"type":"session","id":"s","timestamp":"2025-11-20T10:00:00.000Z","cwd":"/"}\n${lines}`);
    const folder = join(root, "interrupted");
    const { child, ended } = start([
      "compact",
      huge,
      "--out",
      join(folder, "out"),
      "--store",
      join(root, "interrupted.db"),
    ]);
    setTimeout(() => child.kill("SIGINT"), 400);
    const { code, signal, stdout } = await ended;
    expect(signal ?? code).toBe(signal === null ? 130 : "SIGINT");
    expect(stdout).toBe("");
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(root).filter((name) => name.includes("unfinished"))).toEqual([]);
  });

  it("ends on a store whose index leads in a circle, whatever it was asked for, and writes nothing", async () => {
    const path = join(root, "circle.db");
    const store = await openStore(path);
    const threadId = asThreadId("circle");
    await store.threads.append(threadId, [message(0)], { expectedVersion: "no-thread" });
    const metadata = {
      threadId,
      tenantId: null,
      ttlSeconds: null,
      sensitivity: "internal",
      mediaType: "text/plain",
    } as const;
    for (const content of ["one", "two", "three", "four"])
      await store.artifacts.store(content, { ...metadata, createdAt: "2025-01-01T00:00:00.000Z" });
    await store.close();
    const raw = new DatabaseSync(path);
    // Newer versions of Node keep a schema from being written by hand.
    raw.enableDefensive?.(false);
    raw.exec(`
      DROP INDEX artifacts_by_thread;
      CREATE INDEX artifacts_by_thread ON artifacts (thread_key, 6 - artifact_key);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE INDEX artifacts_by_thread ON artifacts (thread_key, artifact_key)'
        WHERE name = 'artifacts_by_thread';`);
    raw.close();
    const out = join(root, "circle.jsonl");
    for (const argv of [
      ["verify"],
      ["verify", threadId],
      ["audit", "export", threadId, "--out", out],
      ["erase", threadId, "--dry-run"],
      ["erase", threadId, "--yes"],
    ]) {
      const { code, stdout, stderr } = await start([...argv, "--store", path]).ended;
      expect([argv, code]).toEqual([argv, 3]);
      expect(stdout + stderr).toContain("out of order");
    }
    expect(readdirSync(root).filter((name) => name.startsWith("circle.jsonl"))).toEqual([]);
  });

  it("hears signals while it reads a large store, ends with 130 and leaves no unfinished file", async () => {
    const path = join(root, "large.db");
    const store = await openStore(path);
    const threadId = asThreadId("large");
    const batch = 1_000;
    for (let first = 0; first < 40 * batch; first += batch) {
      const messages = Array.from({ length: batch }, (_, index) => message(first + index));
      await store.threads.append(threadId, messages, { expectedVersion: first });
    }
    await store.close();
    const out = join(root, "large.jsonl");
    const calls: readonly [NodeJS.Signals, readonly string[], (names: readonly string[]) => boolean][] = [
      ["SIGTERM", ["verify"], (names) => names.includes("large.db-shm")],
      ["SIGINT", ["verify"], (names) => names.includes("large.db-shm")],
      [
        "SIGTERM",
        ["audit", "export", threadId, "--out", out],
        (names) => names.some((name) => /unfinished/.test(name)),
      ],
      ["SIGINT", ["erase", threadId, "--dry-run"], (names) => names.includes("large.db-shm")],
    ];
    for (const [signal, argv, hasBegun] of calls) {
      const { child, ended } = start([...argv, "--store", path]);
      while (!hasBegun(readdirSync(root)) && child.exitCode === null)
        await new Promise((resolve) => setTimeout(resolve, 5));
      child.kill(signal);
      const { code, stdout } = await ended;
      expect([signal, argv, code, stdout]).toEqual([signal, argv, 130, ""]);
      expect(readdirSync(root).filter((name) => name.startsWith("large.jsonl"))).toEqual([]);
    }
  });
});
