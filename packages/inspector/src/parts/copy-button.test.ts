import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstWords, shellCommand } from "./copy-button.tsx";

describe("shellCommand", () => {
  it("leaves simple words as they are and quotes others", () => {
    expect(shellCommand("threadfold explain t {message} --store a.db", { message: "msg-12" })).toBe(
      "threadfold explain t msg-12 --store a.db",
    );
    expect(shellCommand("threadfold pin t {text}", { text: "don't; rm -rf /" })).toBe(
      "threadfold pin t 'don'\\''t; rm -rf /'",
    );
  });

  it("puts a word that looks like an option behind those that are, and leaves it where options have ended", () => {
    expect(shellCommand("threadfold pin t {text} --store a.db", { text: "-rw-r--r-- 1 root" })).toBe(
      "threadfold pin t --store a.db -- '-rw-r--r-- 1 root'",
    );
    expect(shellCommand("threadfold pin --store a.db -- -t {text}", { text: "--help" })).toBe(
      "threadfold pin --store a.db -- -t --help",
    );
  });

  it("gives every word to the shell as it is", () => {
    const word = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
        const places = words.map((_, at) => `{w${at}}`).join(" ");
        const command = shellCommand(
          `printf -- '%s\\0' ${places}`,
          Object.fromEntries(words.map((text, at) => [`w${at}`, text])),
        );
        expect(execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" }).split("\0").slice(0, -1)).toEqual(words);
      }),
      { numRuns: 20 },
    );
  });
});

describe("firstWords", () => {
  it("ends at a word boundary when there is more than one word", () => {
    expect(firstWords("import { AgentThread, type Auth…")).toBe("import { AgentThread, type");
    expect(firstWords("import { AgentThread, type …")).toBe("import { AgentThread, type");
    expect(firstWords("aGVsbG8gd29ybGQgYW5k…")).toBe("aGVsbG8gd29ybGQgYW5k");
    expect(firstWords("All of it.")).toBe("All of it.");
  });
});
