import { message } from "@threadfold/core/laws";
import { ContextSession } from "@threadfold/session";
import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { LONG, openAiSession } from "../testing/recorded-sessions.ts";
import { compact, json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();

describe("search", () => {
  it("finds folded text with where it comes from, page by page", async () => {
    const path = bench.file("long.json", openAiSession(LONG));
    const { data } = await compact([path, "--store", bench.store, "--budget", "8000"]);
    const search = (...argv: readonly string[]) => ["search", data.threadId, ...argv, "--store", bench.store];
    const { code, envelope } = await json(search("step"));
    expect(code).toBe(0);
    const found = envelope.data as {
      total: number;
      pages: number;
      hits: { messageId: string; action: string; excerpt: string }[];
    };
    expect(found.total).toBeGreaterThan(10);
    expect(found.hits).toHaveLength(10);
    for (const { excerpt } of found.hits) expect(excerpt.toLowerCase()).toContain("step");

    const page = await captureRun(search("STEP", "--page", String(found.pages)));
    expect(page.stdout).toContain(`Page ${found.pages} of ${found.pages}`);
    const beyond = await captureRun(search("step", "--page", "999999999"));
    expect(beyond).toMatchObject({
      code: 0,
      stdout: `There is nothing on page 999999999; the result has ${found.pages}.\n`,
    });
    expect((await captureRun(search("zebra"))).stdout).toBe("Nothing in this thread matches.\n");
  });

  it("refuses a branch that the thread does not have, which would find what the main branch does", async () => {
    const side = (id: string, branch: string) => ({ ...message(id, "user", "Look at the parser."), branch });
    const session = await ContextSession.open({ threadId: "branched", store: bench.store });
    await session.append([message("m", "user", "Read the parser."), side("s", "review/tests"), side("d", "docs")]);
    await session.close();
    const on = (branch: string) => json(["search", "branched", "parser", "--branch", branch, "--store", bench.store]);
    expect(await on("nope")).toMatchObject({
      code: 2,
      envelope: {
        error: {
          ...{ code: "INVALID_QUERY", message: 'Thread branched has no branch "nope".' },
          hint: "Its branches: review/tests, docs.",
        },
      },
    });
    const found = async (branch: string) => ((await on(branch)).envelope.data as { total: number }).total;
    expect([await found("docs"), await found("review"), await found("review/tests")]).toEqual([2, 1, 2]);
    const { data } = await compact([bench.file("long.json", openAiSession(LONG)), "--store", bench.store]);
    const { envelope } = await json(["search", data.threadId, "step", "--branch", "nope", "--store", bench.store]);
    expect(envelope.error?.hint).toBe("It has only the main branch: leave out the branch.");
  });

  it("C6 refuses a malformed time and page, and a query without a word", async () => {
    const path = bench.file("long.json", openAiSession(LONG));
    const { data } = await compact([path, "--store", bench.store]);
    for (const [named, ...argv] of [
      ["after: it must be an ISO 8601 date", "step", "--after", "yesterday"],
      ["before: it must be an ISO 8601 date", "step", "--before", "2026-13-01T00:00:00Z"],
      ["--page", "step", "--page", "0"],
      ["--page", "step", "--page", "two"],
      ["query", ""],
      ["query", "?!"],
    ] as const) {
      const { code, stderr } = await captureRun(["search", data.threadId, ...argv, "--store", bench.store]);
      expect([argv, code]).toEqual([argv, 2]);
      expect(stderr).toContain(named);
    }
    const dated = ["step", "--after", "2000-01-01T00:00:00Z", "--before", "2100-01-01T00:00:00+02:00"];
    expect((await captureRun(["search", data.threadId, ...dated, "--store", bench.store])).code).toBe(0);
  });
});
