import { ladderPreset } from "@threadfold/strategies";
import { describe, expect, it, vi } from "vitest";
import { SCRIPTED_DOORS } from "../testing/scripted-doors.ts";
import { NOON, workedSession } from "../testing/sessions.ts";
import { RECALL_DEFINITIONS, recallNames } from "./recall-tools.ts";

const RUN = { name: "run", inputSchema: { type: "object" as const, properties: {} } };

/** A session whose earliest work is folded away, and which has an artifact. */
async function foldedWork(format: (typeof SCRIPTED_DOORS)[number]["format"]) {
  const config = { maxInputTokens: 12_000, outputReserveTokens: 1_000 };
  const session = await workedSession(format, 30, { preset: ladderPreset, config });
  await session.compact({ force: true });
  const content = `The ledger listens on port 54329. ${"It says no more. ".repeat(20)}`;
  const artifact_id = await session.store.artifacts.store(content, {
    ...{ threadId: session.threadId, tenantId: null, createdAt: new Date(NOON).toISOString() },
    ...{ ttlSeconds: null, sensitivity: "internal", mediaType: "text/plain" },
  });
  return { session, artifact_id, content };
}

describe.each(SCRIPTED_DOORS)("the recall tools, through $name", (door) => {
  it("are offered to the model, declared to the session, and answered", async () => {
    const { session, artifact_id, content } = await foldedWork(door.format);
    const prepare = vi.spyOn(session, "prepare");
    const sent = await door.ask(session, {
      question: "What did the early steps say?",
      recall: true,
      turns: [
        [{ id: "call_search", name: "search_thread", input: { query: "make step-2" } }],
        [{ id: "call_read", name: "read_artifact", input: { artifact_id } }],
        "They said so.",
      ],
    });
    expect(sent).toHaveLength(3);
    for (const { type, value } of prepare.mock.settledResults) {
      if (type !== "fulfilled") throw value;
      expect(value.request.tools.map(({ name }) => name)).toEqual(["read_artifact", "search_thread"]);
    }
    expect(sent[1]?.text).toMatch(/step-2/);
    expect(sent[2]?.text).toContain(content.slice(0, 60));
  });

  it("are answered alongside calls that the host runs itself", async () => {
    const { session, artifact_id, content } = await foldedWork(door.format);
    const sent = await door.ask(session, {
      ...{ question: "Run it and look it up.", recall: true, tools: [RUN] },
      turns: [
        [
          { id: "call_run", name: "run", input: {} },
          { id: "call_read", name: "read_artifact", input: { artifact_id } },
        ],
        "Both done.",
      ],
    });
    expect(sent).toHaveLength(2);
    expect(sent[1]?.text).toContain("run by the host");
    expect(sent[1]?.text).toContain(content.slice(0, 60));
  });

  it("explain in words what they cannot find", async () => {
    const { session } = await foldedWork(door.format);
    const artifact_id = "artifact_0123456789abcdef";
    const sent = await door.ask(session, {
      ...{ question: "Look it up.", recall: true },
      turns: [[{ id: "call_read", name: "read_artifact", input: { artifact_id } }], "It is gone."],
    });
    expect(sent[1]?.text).toContain(`There is no artifact ${artifact_id}`);
  });
});

it("a host's own tool keeps its name and is never treated as a recall tool", () => {
  const other = { name: "search_thread", inputSchema: { type: "object" as const, properties: { words: {} } } };
  expect([...recallNames([...RECALL_DEFINITIONS])]).toEqual(["read_artifact", "search_thread"]);
  expect([...recallNames([other, structuredClone(RECALL_DEFINITIONS[0] ?? RUN)])]).toEqual(["read_artifact"]);
});
