import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { asThreadId, canonicalJson, type JournalEntry, nextJournalEntry } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { LONG, openAiSession } from "../testing/recorded-sessions.ts";
import { compact, json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();

/** Changes a store behind its back, its guards taken down. */
function tamper(table: string, change: string): void {
  const database = new DatabaseSync(bench.store);
  database.exec(`DROP TRIGGER ${table}_no_update; UPDATE ${table} SET ${change};`);
  database.close();
}

/** Makes the hashes of a thread's journal those of what stands in it. */
function chainAnew(threadId: string): void {
  const database = new DatabaseSync(bench.store);
  const rows = database.prepare("SELECT sequence, at, record FROM journal ORDER BY sequence").all();
  let previous: JournalEntry | null = null;
  for (const { sequence, at, record } of rows) {
    previous = nextJournalEntry(previous, asThreadId(threadId), JSON.parse(String(record)), String(at));
    database
      .prepare("UPDATE journal SET record = ?, previous_hash = ?, hash = ? WHERE sequence = ?")
      .run(canonicalJson(previous.record), previous.previousHash, previous.hash, sequence as number);
  }
  database.close();
}

async function storedThread(): Promise<string> {
  const argv = [bench.file("long.json", openAiSession(LONG)), "--budget", "8000", "--store", bench.store];
  return (await compact(argv)).data.threadId;
}

describe("a store that was tampered with", () => {
  it("fails to verify with 3 and names what is bad; reading the thread fails too", async () => {
    const thread = await storedThread();
    tamper("entries", "body = replace(body, 'careful engineer', 'careless engineer')");
    const { code, envelope } = await json(["verify", "--store", bench.store]);
    expect(code).toBe(3);
    expect(envelope.error?.code).toBe("STORE_CORRUPT");
    expect(envelope.data).toMatchObject({
      threads: [thread],
      findings: [
        { family: "file", problem: "the trigger entries_no_update is missing" },
        { family: "entries", threadId: thread },
      ],
    });
    const person = await captureRun(["verify", thread, "--store", bench.store]);
    expect(person.code).toBe(3);
    expect(person.stdout).toMatch(new RegExp(`^bad: entries of thread ${thread} `));
    for (const argv of [
      ["render", thread],
      ["replay", thread],
      ["plans", thread],
    ]) {
      expect(await json([...argv, "--store", bench.store])).toMatchObject({
        code: 3,
        envelope: { error: { code: "STORE_CORRUPT" } },
      });
    }
  });

  it("that no page of can be read is not sent from verify to verify", async () => {
    await storedThread();
    writeFileSync(bench.store, readFileSync(bench.store).subarray(0, 20_000));
    const [plans, verify] = await Promise.all(
      [["plans", "t"], ["verify"]].map((argv) => json([...argv, "--store", bench.store])),
    );
    expect([plans?.code, verify?.code]).toEqual([3, 3]);
    expect(plans?.envelope.error?.hint).toContain("verify");
    expect(verify?.envelope.error?.hint).toBe("Restore an intact copy of the store.");
  });

  it("fails to replay with 3 when a request's digest is another one, and the entries behind it are chained anew", async () => {
    const thread = await storedThread();
    tamper(
      "journal",
      `record = json_set(record, '$.payloadDigest', '${"0".repeat(64)}') WHERE record LIKE '%payloadDigest%'`,
    );
    expect(await json(["replay", thread, "--store", bench.store])).toMatchObject({
      code: 3,
      envelope: {
        error: {
          code: "STORE_CORRUPT",
          message: expect.stringMatching(/^Journal entry \d+ of thread \S+ does not match its hash\.$/),
        },
      },
    });
    expect((await json(["verify", "--store", bench.store])).code).toBe(3);
    chainAnew(thread);
    const { code, envelope } = await json(["replay", thread, "--store", bench.store]);
    expect(code).toBe(3);
    expect(envelope.error).toMatchObject({
      code: "REPLAY_MISMATCH",
      message: expect.stringContaining("1 of 1 request"),
    });
    expect(envelope.data).toMatchObject({
      equal: 0,
      different: 1,
      requests: [{ recordedDigest: "0".repeat(64), equal: false }],
    });
    expect((await captureRun(["replay", thread, "--store", bench.store])).stdout).toContain("DIFF");
  });
});
