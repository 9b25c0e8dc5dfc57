import { importSession, type SessionImporter } from "@threadfold/importers";
import { brokenLaws, damageLaws, importerLaws, keepLaws } from "threadfold/laws";
import { describe, expect, it } from "vitest";

/** A tool that nobody knows: one line for each thing that was said. */
const LOG = ["user: Build it.", "agent: Done.", "beep", "user: Thanks."]
  .map((line) => line.split(": "))
  .map(([who, said]) => JSON.stringify({ chatterbox: 1, who, said }))
  .join("\n");
const bytes = new TextEncoder().encode(LOG);

interface Line {
  readonly chatterbox: 1;
  readonly who: unknown;
  readonly said: unknown;
}
const isLine = (value: unknown): value is Line =>
  typeof value === "object" && value !== null && "chatterbox" in value && value.chatterbox === 1;

/** An importer as somebody else would write it. */
const chatterbox: SessionImporter = {
  format: "chatterbox",
  detect: ({ records }) => (isLine(records[0]?.value) ? 1 : 0),
  import(source, draft) {
    for (const { line, value } of source.records) {
      const { who, said } = isLine(value) ? value : {};
      if (typeof said !== "string") draft.skip("noise", line);
      else {
        const role = who === "user" ? "user" : "assistant";
        draft.add({ id: `line-${line}`, role, parts: [{ type: "text", text: said }], source: { line } });
      }
    }
    return { opening: source.source.sha256, records: source.records.length, system: [], tools: [] };
  },
};

const sample = { bytes, format: "chatterbox", importers: [chatterbox] };
keepLaws("an importer of one's own", [...importerLaws(sample), ...damageLaws(sample)], { describe, it });

describe("an importer of one's own", () => {
  it("reads what no importer of ours knows, detected or asked for", async () => {
    await expect(importSession(bytes)).rejects.toMatchObject({ code: "UNKNOWN_FORMAT" });
    const detected = await importSession(bytes, { importers: [chatterbox] });
    expect(detected.format).toBe("chatterbox");
    expect(detected.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(detected.nonPrompt).toMatchObject([{ kind: "noise" }]);
    const asked = await importSession(bytes, { importers: [chatterbox], format: "chatterbox" });
    expect(asked.threadId).toBe(detected.threadId);
  });

  it("goes before ours where both are equally sure, and leaves the rest to ours", async () => {
    const chat = new TextEncoder().encode(JSON.stringify({ messages: [{ role: "user", content: "Hi." }] }));
    const greedy: SessionImporter = { ...chatterbox, detect: () => 1, format: "greedy" };
    expect((await importSession(chat, { importers: [chatterbox] })).format).toBe("openai-chat");
    await expect(importSession(chat, { importers: [greedy] })).rejects.toMatchObject({ code: "EMPTY_SOURCE" });
  });

  it("breaks the laws when it passes over a record in silence", async () => {
    const careless: SessionImporter = {
      ...chatterbox,
      import: (source, draft) => ({
        ...chatterbox.import({ ...source, records: source.records.slice(1) }, draft),
        records: 4,
      }),
    };
    expect(await brokenLaws(importerLaws({ bytes, format: "chatterbox", importers: [careless] }))).toEqual([
      { name: "every record is accounted for", problem: "3 of 4 records are accounted for" },
    ]);
  });

  it("breaks the laws when it takes every log for its own", async () => {
    const greedy: SessionImporter = { ...chatterbox, detect: () => 1 };
    expect(await brokenLaws(importerLaws({ bytes, format: "chatterbox", importers: [greedy] }))).toEqual([
      {
        name: "a log of no known tool is not taken for one of this format",
        problem: expect.stringContaining("EMPTY_SOURCE"),
      },
    ]);
  });

  it("breaks the laws of damage when it trips over what it did not expect", async () => {
    const hasty: SessionImporter = {
      ...chatterbox,
      import(source, draft) {
        for (const { value } of source.records) (value as { said: string }).said.trim();
        return chatterbox.import(source, draft);
      },
    };
    const broken = await brokenLaws(damageLaws({ bytes, format: "chatterbox", importers: [hasty] }));
    expect(broken.map(({ problem }) => problem)).toContainEqual(expect.stringContaining("TypeError"));
  });
});
