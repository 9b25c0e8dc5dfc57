import { describe, expect, it } from "vitest";
import { BodyReader } from "./body-reader.ts";
import type { DataSource } from "./data-source.ts";

/** A source of chunks of two items each, which notes what was read. */
function noting(items: Readonly<Record<string, readonly unknown[]>>) {
  const asked: string[] = [];
  const read: DataSource["read"] = async (piece) => {
    const name = "chunk" in piece ? `${piece.kind}-${piece.chunk}` : piece.kind;
    asked.push(name);
    const found = items[name];
    if (found === undefined) throw new Error(`no ${name}`);
    return found;
  };
  return { asked, source: { read } as DataSource };
}

describe("BodyReader", () => {
  it("reads a chunk when something in it is needed, and only once", async () => {
    const { asked, source } = noting({ "messages-1": [{ parts: [] }, { parts: [{ type: "text", text: "three" }] }] });
    const bodies = new BodyReader(source, { messages: [0, 2, 4], texts: [], payloads: [] });
    const three = { parts: [{ type: "text", text: "three" }] };
    expect(await Promise.all([bodies.message(3), bodies.message(3)])).toEqual([three, three]);
    expect(asked).toEqual(["messages-1"]);
    expect(await bodies.text(0)).toBeUndefined();
  });

  it("tries again what could not be read", async () => {
    const { asked, source } = noting({});
    const bodies = new BodyReader(source, { messages: [0], texts: [], payloads: [] });
    await expect(bodies.message(0)).rejects.toThrow("no messages-0");
    await expect(bodies.message(0)).rejects.toThrow("no messages-0");
    expect(asked).toHaveLength(2);
  });

  it("puts payloads together from their differences, over those that could not be rendered", async () => {
    const { source } = noting({
      "payloads-0": [{ start: 0, end: 0, insert: "[1]" }, null, { start: 2, end: 1, insert: ",2" }],
    });
    const bodies = new BodyReader(source, { messages: [], texts: [], payloads: [0] });
    expect(await Promise.all([0, 1, 2].map((call) => bodies.payload(call)))).toEqual([
      { text: "[1]", sameUntil: 0 },
      null,
      { text: "[1,2]", sameUntil: 2 },
    ]);
  });

  it("keeps open what does not grow, and reads the newest chunk again when there is more of it", async () => {
    const { asked, source } = noting({ "messages-0": [{ parts: [] }], "messages-1": [{ parts: [] }, { parts: [] }] });
    const starts = [0, 1];
    const before = new BodyReader(source, { messages: starts, texts: [], payloads: [] });
    await before.message(0);
    await before.message(1);
    const after = new BodyReader(source, { messages: starts, texts: [], payloads: [] }, before);
    await after.message(0);
    await after.message(2);
    expect(asked).toEqual(["messages-0", "messages-1", "messages-1"]);
  });

  it("drops the chunk that was used least recently", async () => {
    const names = Array.from({ length: 30 }, (_, chunk) => [`messages-${chunk}`, [{ parts: [] }]]);
    const { asked, source } = noting(Object.fromEntries(names));
    const bodies = new BodyReader(source, { messages: names.map((_, at) => at), texts: [], payloads: [] });
    for (let ordinal = 0; ordinal < 30; ordinal++) await bodies.message(ordinal);
    await bodies.message(29);
    expect(asked).toHaveLength(30);
    await bodies.message(0);
    expect(asked).toHaveLength(31);
  });
});
