import { existsSync } from "node:fs";
import { asThreadId } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { ContextSession } from "@threadfold/session";
import { eraseSubject, memoryKeyStore, openStore } from "@threadfold/stores";
import { beforeEach, describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { openAiSession } from "../testing/recorded-sessions.ts";
import { json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();
const inStore = (...argv: readonly string[]) => [...argv, "--store", bench.store];

let keys = memoryKeyStore();

/** Fills the store with a folded thread whose content is sealed. */
async function fillSealed(): Promise<void> {
  keys = memoryKeyStore();
  const store = await openStore(bench.store, { encryption: { keys } });
  const session = await ContextSession.open({
    ...{ threadId: asThreadId("secret"), store, background: false },
    config: { maxInputTokens: 2_000, preserveRecentTurns: 1 },
  });
  await session.append(
    Array.from({ length: 12 }, (_, index) =>
      message(
        `m${index}`,
        index % 2 === 0 ? "user" : "assistant",
        `Part ${index} of zanzibar. ${"More. ".repeat(120)}`,
      ),
    ),
  );
  expect((await session.compact({ force: true })).type).toBe("committed");
  await session.append([message("last", "user", "Go on.")]);
  await session.prepare();
  await session.setTitle("About zanzibar");
  await session.close();
}

describe("a sealed thread", () => {
  beforeEach(fillSealed);

  it("is refused by every command that reads what it says, which names the missing keys and writes nothing", async () => {
    const out = bench.path("out");
    for (const argv of [
      ["context", "secret"],
      ["context"],
      ["render", "secret", "--out", out],
      ["replay", "secret"],
      ["explain", "secret", "m1"],
      ["search", "secret", "zanzibar"],
      ["export", "secret", "--as", "pi", "--out", out],
      ["diff", "secret", "0", "1"],
      ["title", "secret"],
      ["title", "secret", "Another"],
      ["fork", "secret", "copy"],
      ["handoff", "secret", "copy", "--goal", "Go on."],
      ["pin", "secret", "Never."],
      ["revert", "secret", "0"],
      ["mcp", "--thread", "secret"],
      ["mcp"],
    ]) {
      const { code, envelope } = await json(inStore(...argv));
      expect([code, envelope.error], argv.join(" ")).toEqual([
        7,
        {
          code: "KEY_MISSING",
          message: "Thread secret is sealed, and the command has no keys.",
          hint: expect.stringContaining("openStore(address, { encryption: { keys } })"),
        },
      ]);
    }
    for (const thread of [["secret"], []])
      expect((await json(["inspect", bench.store, ...thread, "--out", out])).envelope.error?.code).toBe("KEY_MISSING");
    expect(existsSync(out)).toBe(false);
    expect((await json(inStore("verify"))).code).toBe(0);
  });

  it("keeps no MCP client from the other threads of its store", async () => {
    await json(inStore("import", bench.file("session.json", openAiSession())));
    const interrupt = new AbortController();
    const onStderr = (text: string) => text.startsWith("Listening on") && interrupt.abort();
    expect((await captureRun(inStore("mcp", "--http", "0"), { signal: interrupt.signal, onStderr })).code).toBe(0);
  });

  it("is listed without a title, verified, billed, audited, archived and erased as any other", async () => {
    const session = bench.file("session.json", openAiSession());
    expect((await json(inStore("import", session))).code).toBe(0);
    const { threads } = (await json(inStore("threads"))).envelope.data as { threads: { threadId: string }[] };
    expect(threads).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ threadId: "secret", title: null, sealed: true }),
        expect.objectContaining({ title: expect.stringContaining("Find the leak"), sealed: false }),
      ]),
    );
    expect((await captureRun(inStore("threads"))).stdout).toMatch(/^secret .* \(sealed\)$/m);
    const audit = bench.path("audit.jsonl");
    for (const argv of [
      ["verify", "secret"],
      ["plans", "secret"],
      ["bill", "secret"],
      ["costs"],
      ["audit", "export", "secret", "--out", audit],
      ["audit", "checkpoint", "secret"],
      ["doctor"],
      ["archive", "secret", "--to", bench.path("cold"), "--still-for", "0s"],
      ["unarchive", "secret"],
      ["erase", "secret", "--yes"],
    ])
      expect(await json(inStore(...argv), { now: Date.now }), argv.join(" ")).toMatchObject({
        code: 0,
        envelope: { ok: true },
      });
    expect((await json(["audit", "verify", audit])).code).toBe(0);
    expect((await json(["inspect", audit, "--out", bench.path("page.html")])).envelope.error?.code).toBe("KEY_MISSING");
  });

  it("is erased with a warning that its key stays, and what destroys it", async () => {
    const stays = /its key stays, and opens backups[^]*eraseSubject/;
    expect((await captureRun(inStore("erase", "secret", "--dry-run"))).stderr).toMatch(stays);
    expect((await captureRun(inStore("erase", "secret", "--yes"))).stderr).toMatch(stays);
    await json(inStore("import", bench.file("session.json", openAiSession())));
    const { threads } = (await json(inStore("threads"))).envelope.data as { threads: { threadId: string }[] };
    const open = threads.map(({ threadId }) => threadId).find((id) => id !== "secret") as string;
    expect((await captureRun(inStore("erase", open, "--yes"))).stderr).not.toMatch(stays);
  });

  it("is an erased one once its key was destroyed, as every command says with when and by whom", async () => {
    const at = "2026-02-03T04:05:06.000Z";
    const store = await openStore(bench.store, { encryption: { keys } });
    await eraseSubject(store, "secret", { actor: "dpo", reason: "gdpr-17", at });
    await store.close();
    const audit = bench.path("audit.jsonl");
    await json(inStore("audit", "export", "secret", "--out", audit));
    const out = ["--out", bench.path("out")];
    for (const argv of [
      inStore("context", "secret"),
      inStore("render", "secret", ...out),
      inStore("explain", "secret", "m1"),
      inStore("mcp", "--thread", "secret"),
      ["context", "--file", audit],
    ])
      expect((await json(argv)).envelope.error, argv.join(" ")).toMatchObject({
        code: "CONTENT_ERASED",
        message: `The content of thread secret was erased at ${at} by dpo (gdpr-17).`,
      });
    for (const source of [[bench.store, "secret"], [audit]])
      expect((await json(["inspect", ...source, ...out])).code, source.join(" ")).toBe(0);
    for (const how of ["--dry-run", "--yes"])
      expect((await captureRun(inStore("erase", "secret", how))).stderr).not.toContain("its key stays");
  });

  it("is served to no MCP client, who learns of the one that has keys, or that all were erased", async () => {
    const erase = async (threadId: string) => {
      const store = await openStore(bench.store, { encryption: { keys } });
      await eraseSubject(store, threadId, { actor: "dpo", reason: "gdpr-17", at: "2026-02-03T04:05:06.000Z" });
      await store.close();
    };
    const store = await openStore(bench.store, { encryption: { keys } });
    for (const id of ["another", "zebra"])
      await store.threads.append(asThreadId(id), [{ type: "message", message: message("m", "user", "Hello.") }], {
        expectedVersion: 0,
      });
    await store.close();
    for (const [erased, left] of [
      ["secret", "another"],
      ["another", "zebra"],
    ] as const) {
      await erase(erased);
      expect((await json(inStore("mcp"))).envelope.error).toMatchObject({
        code: "KEY_MISSING",
        message: expect.stringContaining(`Thread ${left} `),
      });
    }
    await erase("zebra");
    expect((await json(inStore("mcp"))).envelope.error).toMatchObject({
      code: "CONTENT_ERASED",
      message: expect.stringMatching(/^The content of thread secret was erased at 2026-02-03.* by dpo \(gdpr-17\)/),
    });
  });

  it("is not what a thread becomes whose first request begins like an envelope", async () => {
    const content = "sealed1.AQ is what the log says. Why?";
    await json(inStore("import", bench.file("pasted.json", JSON.stringify([{ role: "user", content }]))));
    const { threads } = (await json(inStore("threads"))).envelope.data as { threads: { title: string | null }[] };
    expect(threads).toContainEqual(expect.objectContaining({ title: content, sealed: false }));
  });
});
