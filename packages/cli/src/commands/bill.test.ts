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
});
