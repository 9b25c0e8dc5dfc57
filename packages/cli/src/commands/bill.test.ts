import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { LONG, openAiSession } from "../testing/recorded-sessions.ts";
import { compact, json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();

describe("threadfold bill", () => {
  it("says what the calls of a stored thread cost, missed, and would have cost otherwise", async () => {
    const session = bench.file("session.json", openAiSession(LONG));
    const { data } = await compact([session, "--budget", "20000", "--store", bench.store]);
    const { threadId } = data;
    const billed = await json(["bill", threadId, "--store", bench.store, "--model", "claude-sonnet-5"]);
    expect(billed).toMatchObject({
      code: 0,
      envelope: {
        data: {
          threadId,
          totals: { reported: 0, notRecorded: 0 },
          misses: [{ cause: "first-call" }],
          instead: [{ as: "sent" }, { as: "unfolded" }, { as: "one-time" }, { as: "one-time" }],
        },
      },
    });
    const { stdout } = await captureRun(["bill", threadId, "--store", bench.store]);
    expect(stdout).toContain("name it with --model");
    expect(stdout).toContain("first-call");
    expect(stdout).toContain("without any folding");
  });

  it("bills no request of a session that was imported: nobody sent one", async () => {
    const session = bench.file("imported.json", openAiSession(LONG));
    const imported = await json(["import", session, "--store", bench.path("imported.db")]);
    const { threadId } = imported.envelope.data as { threadId: string };
    const store = ["--store", bench.path("imported.db"), "--model", "claude-sonnet-5"];
    expect(await json(["bill", threadId, ...store])).toMatchObject({
      code: 0,
      envelope: { data: { totals: { calls: 0, inputTokens: 0, bill: 0 } } },
    });
    // Its journal does have a record of a request, which replay renders again.
    expect((await captureRun(["bill", threadId, ...store])).stdout).toBe("No request of this thread was handed out.\n");
    expect((await json(["costs", ...store])).envelope).toMatchObject({ data: { totals: { calls: 0, dollars: 0 } } });
    // What the record is for is there: the request is rendered with the session's own system text and tools.
    expect((await json(["render", threadId, ...store.slice(0, 2)])).code).toBe(0);
  });
});
