import { generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { LONG, openAiSession } from "../testing/recorded-sessions.ts";
import { compact, json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();

async function storedThread(): Promise<string> {
  const argv = [bench.file("long.json", openAiSession(LONG)), "--budget", "8000", "--store", bench.store];
  return (await compact(argv)).data.threadId;
}

/** Runs `audit` on the test's store. */
const audit = (...argv: string[]) => json(["audit", ...argv, "--store", bench.store]);

describe("audit", () => {
  it("exports a thread to a file that verifies, and that does not once a letter of it is another", async () => {
    const thread = await storedThread();
    const path = bench.path("audit.jsonl");
    const exported = await audit("export", thread, "--out", path);
    expect(exported).toMatchObject({ code: 0, envelope: { data: { threadId: thread, path } } });
    const text = readFileSync(path, "utf8");
    expect(text.split("\n")).toHaveLength((exported.envelope.data as { lines: number }).lines + 1);
    expect(await json(["audit", "verify", path])).toMatchObject({
      code: 0,
      envelope: { data: { problem: null, threadId: thread, entries: 125, plans: 1, requests: 1 } },
    });
    expect((await captureRun(["audit", "verify", path])).stdout).toMatch(/^intact: thread /);
    writeFileSync(path, text.replace("careful engineer", "careless engineer"));
    expect(await json(["audit", "verify", path])).toMatchObject({
      code: 3,
      envelope: { error: { code: "STORE_CORRUPT", message: expect.stringContaining("Line 2 ") } },
    });
  });

  it("leaves content out when asked to", async () => {
    const thread = await storedThread();
    const path = bench.path("audit.jsonl");
    await audit("export", thread, "--out", path, "--digests-only");
    expect(readFileSync(path, "utf8")).not.toContain("careful engineer");
    expect((await json(["audit", "verify", path])).code).toBe(0);
  });

  it("makes checkpoints that show when an end was cut off", async () => {
    const thread = await storedThread();
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const key = bench.file("key.pem", privateKey.export({ format: "pem", type: "pkcs8" }).toString());
    const trusted = bench.file("public.pem", publicKey.export({ format: "pem", type: "spki" }).toString());
    const checkpoint = bench.path("checkpoint.json");
    expect(await audit("checkpoint", thread, "--key", key, "--out", checkpoint)).toMatchObject({ code: 0 });
    const since = ["--since", checkpoint, "--public-key", trusted];
    expect((await json(["verify", ...since, "--store", bench.store])).code).toBe(0);
    const file = bench.path("audit.jsonl");
    await audit("export", thread, "--out", file);
    expect(await json(["audit", "verify", file, ...since])).toMatchObject({
      code: 0,
      envelope: { data: { checkpoints: 1, signed: 1 } },
    });
    const database = new DatabaseSync(bench.store);
    const { sql } = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'journal_no_delete'").get() ?? {};
    database.exec(`DROP TRIGGER journal_no_delete; DELETE FROM journal WHERE sequence > 1; ${sql};`);
    database.close();
    expect((await json(["verify", "--store", bench.store])).code).toBe(0);
    expect(await json(["verify", ...since, "--store", bench.store])).toMatchObject({
      code: 3,
      envelope: { data: { findings: [{ family: "journal", at: 2 }] } },
    });
    await audit("export", thread, "--out", file);
    expect((await json(["audit", "verify", file, ...since])).code).toBe(3);
  });

  it("refuses an option of another action instead of ignoring it, and says which one was probably meant", async () => {
    const thread = await storedThread();
    const file = bench.path("audit.jsonl");
    await audit("export", thread, "--out", file);
    const stored = ["--store", bench.store];
    const calls: [string[], string, string][] = [
      [["verify", file, "--key", file], "--key", "Did you mean --public-key"],
      [["verify", file, ...stored], "--store", "threadfold verify"],
      [["verify", file, "--digests-only"], "--digests-only", "audit export"],
      [["verify", file, "--out", "x"], "--out", "audit export and audit checkpoint"],
      [["export", thread, "--out", "x", "--key", file, ...stored], "--key", "audit checkpoint"],
      [["export", thread, "--out", "x", "--since", file, ...stored], "--since", "audit verify"],
      [["checkpoint", thread, "--public-key", file, ...stored], "--public-key", "Did you mean --key"],
    ];
    for (const [argv, option, hint] of calls) {
      const { code, envelope } = await json(["audit", ...argv]);
      expect([code, envelope.error?.code, envelope.error?.message], argv.join(" ")).toEqual([
        ...[2, "USAGE", `audit ${argv[0]} does not take ${option}.`],
      ]);
      expect(envelope.error?.hint).toContain(hint);
    }
  });

  it("says what it was called wrong with, and leaves no unfinished file", async () => {
    const thread = await storedThread();
    const out = bench.path("audit.jsonl");
    const calls: [string[], string][] = [
      [["audit", "burn", thread], "USAGE"],
      [["audit", "export", thread, "--store", bench.store], "USAGE"],
      [["audit", "export", "nobody", "--out", out, "--store", bench.store], "THREAD_NOT_FOUND"],
      [
        ["audit", "export", thread, "--out", bench.path("no/folder.jsonl"), "--store", bench.store],
        "OUTPUT_UNWRITABLE",
      ],
      [["audit", "verify", bench.path("missing.jsonl")], "UNREADABLE_SOURCE"],
      [["audit", "verify", bench.file("empty.jsonl", "")], "EMPTY_SOURCE"],
      [["audit", "verify", bench.store, "--since", bench.store], "INVALID_JSON"],
      [["audit", "verify", bench.store, "--public-key", bench.store], "INVALID_CONFIG"],
      [["audit", "checkpoint", "nobody", "--store", bench.store], "THREAD_NOT_FOUND"],
    ];
    for (const [argv, code] of calls) expect((await json(argv)).envelope.error?.code, argv.join(" ")).toBe(code);
    expect((await json(["audit", "verify", bench.path("missing.jsonl")])).code).toBe(5);
    for (const file of [
      bench.file("notes.txt", "hello\n"),
      bench.file("session.jsonl", '{"type":"message"}\n'),
      bench.store,
    ])
      expect((await json(["audit", "verify", file])).envelope.error).toMatchObject({
        code: "STORE_CORRUPT",
        message: expect.stringContaining("is not an audit file"),
        hint: expect.stringContaining("threadfold audit export"),
      });
    expect(existsSync(out)).toBe(false);
  });
});
