import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();

const orphan = {
  messages: [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: "{" } }],
    },
    { role: "user", content: "and?" },
  ],
};
const legal = { messages: [{ role: "user", content: "go" }] };

describe("lint", () => {
  it("names rule, message and what to do, and ends with 3", async () => {
    const path = bench.file("request.json", JSON.stringify(orphan));
    const { code, stdout, stderr } = await captureRun(["lint", path, "--format", "openai-chat"]);
    expect(code).toBe(3);
    expect(stdout).toBe(
      [
        "W1  message 1 ($.messages[1].tool_calls[0]): the call has no result (a)",
        "    fix: answer the call directly after its turn, with a failed result if there is none, or remove the call",
        "W19  message 1 ($.messages[1].tool_calls[0].function.arguments): the arguments are not a JSON object",
        "    fix: send an object; wrap what is not valid JSON, for instance under _raw",
        "",
      ].join("\n"),
    );
    expect(stderr).toContain("breaks W1 at $.messages[1].tool_calls[0] and 1 other place");
  });

  it("gives the same as data, and both shapes of success", async () => {
    const broken = await json(["lint", bench.file("a.json", JSON.stringify(orphan)), "--format", "openai-chat"]);
    expect(broken).toMatchObject({
      code: 3,
      envelope: {
        ok: false,
        error: { code: "ILLEGAL_REQUEST" },
        data: {
          format: "openai-chat",
          findings: [
            { rule: "W1", message: 1 },
            { rule: "W19", message: 1 },
          ],
        },
      },
    });
    const sound = bench.file("b.json", JSON.stringify(legal));
    expect(await json(["lint", sound, "--format", "anthropic"])).toMatchObject({
      code: 0,
      envelope: { ok: true, data: { format: "anthropic-messages", findings: [] } },
    });
    expect(await captureRun(["lint", sound, "--format", "anthropic"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^legal: all \d+ rules of anthropic-messages hold\.\n$/),
    });
  });

  it("knows every format", async () => {
    const path = bench.file("empty.json", "{}");
    for (const format of [
      "anthropic",
      "anthropic-messages",
      "openai-chat",
      "openai-responses",
      "gemini",
      "ai-sdk",
      "neutral",
    ]) {
      const { code, envelope } = await json(["lint", path, "--format", format]);
      expect([format, code]).toEqual([format, 3]);
      const findings = (envelope.data as { findings: readonly { remedy: string }[] }).findings;
      expect(findings.every(({ remedy }) => remedy !== "")).toBe(true);
    }
  });

  it("tells what is no request, no file and no format apart", async () => {
    expect(await json(["lint", bench.file("c.json", "{"), "--format", "anthropic"])).toMatchObject({
      code: 1,
      envelope: { error: { code: "INVALID_JSON" } },
    });
    expect(await json(["lint", bench.file("d.json", " "), "--format", "anthropic"])).toMatchObject({
      code: 1,
      envelope: { error: { code: "EMPTY_SOURCE" } },
    });
    expect(await json(["lint", bench.path("none.json"), "--format", "anthropic"])).toMatchObject({
      code: 5,
      envelope: { error: { code: "UNREADABLE_SOURCE" } },
    });
    expect(await json(["lint", bench.path("none.json")])).toMatchObject({
      code: 2,
      envelope: { error: { code: "USAGE" } },
    });
  });
});
