import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostileTexts } from "../laws/text-arbitrary.ts";
import { recallTerms } from "./recall-terms.ts";
import { loadStemmers } from "./stemmers.ts";

const stemmers = await loadStemmers();

describe("stems", () => {
  const stems = (text: string) => stemmers.stemsOf(recallTerms(text));

  it("follow the language of the text; English, code and very short text have none", () => {
    expect(stems("die Verbindungen und der Fehler")).toContain("german~verbind");
    expect(stems("les requêtes et la base")).toContain("french~requêt");
    expect(stems("подключения")).toEqual(["russian~подключен"]);
    expect(stems("the connections are closed and the server is down")).toEqual([]);
    expect(stems("const connections = await pool.connections();")).toEqual([]);
    expect(stems("Verbindungen")).toEqual([]);
  });

  it("of a query cover every language unless its language is recognized", () => {
    expect(stemmers.queryStemsOf(["verbindungen"])).toEqual(
      expect.arrayContaining(["german~verbind", "dutch~verbindung"]),
    );
    expect(stemmers.queryStemsOf(["die", "verbindungen", "und", "fehler"])).toEqual(
      stemmers.stemsOf(["die", "verbindungen", "und", "fehler"]),
    );
    expect(stemmers.queryStemsOf(recallTerms("word ".repeat(30)))).toEqual([]);
  });

  it("contain no white space and are deterministic for any words", () => {
    fc.assert(
      fc.property(fc.oneof(hostileTexts, fc.string({ unit: "grapheme" })), (text) => {
        const found = stemmers.queryStemsOf(recallTerms(`die und ${text}`));
        for (const stem of found) expect(stem).not.toMatch(/["\s\0]/u);
        expect(stemmers.queryStemsOf(recallTerms(`die und ${text}`))).toEqual(found);
      }),
      { numRuns: 100 },
    );
  });
});
