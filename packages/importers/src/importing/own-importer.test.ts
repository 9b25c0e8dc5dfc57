import { describe, expect, it } from "vitest";
import { importerLaws } from "../laws/importer-laws.ts";
import { type ForeignObject, objectOf } from "../reading/foreign-value.ts";
import type { SessionImporter } from "../session/session-importer.ts";
import { importSession } from "./import-session.ts";

/** A tool that nobody knows: one line for each thing that was said. */
const LOG = ["user: Build it.", "agent: Done.", "beep", "user: Thanks."]
  .map((line) => line.split(": "))
  .map(([who, said]) => JSON.stringify({ chatterbox: 1, who, said }))
  .join("\n");
const bytes = new TextEncoder().encode(LOG);
const spoken = (value: unknown): ForeignObject | undefined => {
  const record = objectOf(value);
  return record?.chatterbox === 1 ? record : undefined;
};

/** An importer as somebody else would write it. */
const chatterbox: SessionImporter = {
  format: "chatterbox",
  detect: ({ records }) => (spoken(records[0]?.value) === undefined ? 0 : 1),
  import(source, draft) {
    for (const { line, value } of source.records) {
      const { who, said } = spoken(value) ?? {};
      if (typeof said !== "string") draft.skip("noise", line);
      else {
        const role = who === "user" ? "user" : "assistant";
        draft.add({ id: `line-${line}`, role, parts: [{ type: "text", text: said }], source: { line } });
      }
    }
    return { opening: source.source.sha256, records: source.records.length, system: [], tools: [] };
  },
};

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

  it("is tried by our laws, which tell a careless one", async () => {
    expect(await importerLaws({ bytes, format: "chatterbox", importers: [chatterbox] })).toEqual([]);
    const careless: SessionImporter = {
      ...chatterbox,
      import: (source, draft) => ({
        ...chatterbox.import({ ...source, records: source.records.slice(1) }, draft),
        records: 4,
      }),
    };
    const broken = await importerLaws({ bytes, format: "chatterbox", importers: [careless] });
    expect(broken.map(({ law }) => law)).toEqual(["every record is accounted for"]);
  });
});
