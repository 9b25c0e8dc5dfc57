import { describe, expect, it } from "vitest";
import { BodyReader } from "../source/body-reader.ts";
import type { DataSource } from "../source/data-source.ts";
import { markedPieces, queryWords, search } from "./search.ts";

const pieces: Readonly<Record<string, unknown>> = {
  "messages-0": [{ parts: [{ type: "text", text: "The build fails in Node 22." }] }],
  "messages-1": [{ parts: [{ type: "tool-call", tool: "bash", callId: "1", text: '{"command":"npm run build"}' }] }],
  "texts-0": [{ text: "Summary: the BUILD fails." }],
};
const source = { read: async (piece) => pieces[`${piece.kind}-${"chunk" in piece ? piece.chunk : ""}`] } as DataSource;
const chunks = { messages: [0, 1], texts: [0], payloads: [] };
const messages = { title: ["The build fails", "bash"] } as never;

async function found(query: string, signal = new AbortController().signal, from = chunks): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const hits of search({ chunks: from, messages }, new BodyReader(source, from), query, signal))
    all.push(...hits.map(({ list, item }) => `${list} ${item}`));
  return all;
}

describe("search", () => {
  it("finds places with all the words, in the log and in what requests show instead", async () => {
    expect(await found("build")).toEqual(["messages 0", "messages 1", "texts 0"]);
    expect(await found("fails build")).toEqual(["messages 0", "texts 0"]);
    expect(await found('"fails in"')).toEqual(["messages 0"]);
    expect(await found("bash")).toEqual(["messages 1"]);
    expect(await found("  ")).toEqual([]);
  });

  it("searches titles where bodies are left out, and stops when it is aborted", async () => {
    expect(await found("fails", undefined, { messages: [], texts: [], payloads: [] })).toEqual(["messages 0"]);
    expect(await found("build", AbortSignal.abort())).toEqual([]);
  });

  it("marks words wherever they occur, in upper case too", () => {
    expect(queryWords('A "b c"  d')).toEqual(["a", "b c", "d"]);
    expect(markedPieces("The (Build) of a build.", ["build"])).toEqual(["The (", "Build", ") of a ", "build", "."]);
    expect(markedPieces("a.b", ["."])).toEqual(["a", ".", "b"]);
  });
});
