import type { JsonValue } from "@threadfold/core";
import { hostileTexts } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FoldedThread } from "../testing/folded-thread.ts";
import { readArtifactTool } from "./read-artifact-tool.ts";

describe("read_artifact", () => {
  it("is defined for the model by name and JSON schema", () => {
    const { definition } = readArtifactTool(new FoldedThread().store);
    expect(definition.name).toBe("read_artifact");
    expect(definition.inputSchema).toMatchObject({
      type: "object",
      required: ["artifact_id"],
      additionalProperties: false,
    });
  });

  it("spec-63 gives short content as it is, of any sensitivity", async () => {
    const thread = new FoldedThread();
    const artifact_id = await thread.externalize("the secret", { sensitivity: "restricted" });
    expect(await readArtifactTool(thread.store).execute({ artifact_id })).toEqual({
      outcome: "success",
      text: "the secret",
      problem: null,
      nextOffset: null,
    });
  });

  it("gives long content in pages and says how to read on", async () => {
    const thread = new FoldedThread();
    const artifact_id = await thread.externalize("0123456789");
    const tool = readArtifactTool(thread.store);
    expect(await tool.execute({ artifact_id, limit: 4 })).toEqual({
      outcome: "success",
      text: `[${artifact_id}: characters 0 to 4 of 10; call read_artifact with offset 4 for more]\n0123`,
      problem: null,
      nextOffset: 4,
    });
    expect((await tool.execute({ artifact_id, offset: 8, limit: 4 })).text).toBe(
      `[${artifact_id}: characters 8 to 10 of 10; this is the end]\n89`,
    );
  });

  it.each([
    "[artifact_0123456789abcdef01234567: characters 8 to 10 of 10; call read_artifact with offset 10 for more]\nno",
    "\n [Artifact_0123456789abcdef01234567: characters",
  ])("puts the heading of a page before short content that begins like one: %j", async (content) => {
    const thread = new FoldedThread();
    const artifact_id = await thread.externalize(content);
    const { length } = content;
    expect((await readArtifactTool(thread.store).execute({ artifact_id })).text).toBe(
      `[${artifact_id}: characters 0 to ${length} of ${length}; this is the end]\n${content}`,
    );
  });

  it("gives all of the content, page by page, without splitting a character", async () => {
    const texts = fc.oneof(hostileTexts, fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }));
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 50 }), async (content, limit) => {
        const thread = new FoldedThread();
        const artifact_id = await thread.externalize(content);
        const tool = readArtifactTool(thread.store);
        const size = Math.max(limit, Math.ceil(content.length / 40));
        let read = "";
        for (let offset: number | null = 0; offset !== null; ) {
          const page = await tool.execute({ artifact_id, offset, limit: size });
          expect(page.text.isWellFormed()).toBe(true);
          read += page.text === content ? content : page.text.slice(page.text.indexOf("]\n") + 2);
          offset = page.nextOffset;
        }
        expect(read).toBe(content);
      }),
      { numRuns: 100 },
    );
  });

  it.each<[string, JsonValue]>([
    ["no object", "artifact_0123456789abcdef"],
    ["no id", {}],
    ["a made-up id", { artifact_id: "../../etc/passwd" }],
    ["a negative offset", { artifact_id: "artifact_0123456789abcdef", offset: -1 }],
    ["a limit of nothing", { artifact_id: "artifact_0123456789abcdef", limit: 0 }],
    ["an offset in words", { artifact_id: "artifact_0123456789abcdef", offset: "ten" }],
  ])("answers %s with what is wrong", async (_, input) => {
    const store = new FoldedThread().store;
    expect(await readArtifactTool(store).execute(input)).toMatchObject({
      outcome: "failure",
      problem: "invalid-input",
      nextOffset: null,
    });
    expect(store.reads).toBe(0);
  });

  it("spec-134 answers alike for what never was and for what another tenant has", async () => {
    const thread = new FoldedThread();
    const artifact_id = await thread.externalize("of tenant a", { tenantId: "a" });
    const tool = readArtifactTool(thread.store, { requesterId: "agent", tenantId: "b", permissions: [] });
    const foreign = await tool.execute({ artifact_id });
    const missing = await tool.execute({ artifact_id: "artifact_0123456789abcdef" });
    expect(foreign).toMatchObject({ outcome: "failure", problem: "not-found" });
    expect(missing.text.replace("artifact_0123456789abcdef", artifact_id)).toBe(foreign.text);
  });

  it.each([{}, { offset: 20, limit: 10 }, { offset: 100_000 }])(
    "says of sealed content, in a store without its keys, that it is sealed, and shows nothing of it: %j",
    async (range) => {
      const thread = new FoldedThread();
      const envelope = `sealed1.AQ${"Zm9v_YmFy-".repeat(20)}`;
      const artifact_id = await thread.externalize(envelope);
      const { text, ...rest } = await readArtifactTool(thread.store).execute({ artifact_id, ...range });
      expect(rest).toEqual({ outcome: "failure", problem: "sealed", nextOffset: null });
      expect(text).toMatch(new RegExp(`^${artifact_id} is sealed`));
      expect(text).not.toContain("Zm9v");
    },
  );

  it("reads what only mentions sealed content", async () => {
    const thread = new FoldedThread();
    for (const text of [
      "sealed1.AQ",
      `It begins with sealed1.AQ${"A".repeat(200)}`,
      `sealed1.AQ${"A".repeat(200)}\n`,
    ]) {
      const artifact_id = await thread.externalize(text);
      expect(await readArtifactTool(thread.store).execute({ artifact_id })).toMatchObject({ text, problem: null });
    }
  });

  it("says when there is nothing at an offset", async () => {
    const thread = new FoldedThread();
    const artifact_id = await thread.externalize("short");
    expect(await readArtifactTool(thread.store).execute({ artifact_id, offset: 5 })).toMatchObject({
      problem: "offset-beyond-end",
      text: `${artifact_id} has 5 characters; there is nothing at offset 5.`,
    });
  });
});
