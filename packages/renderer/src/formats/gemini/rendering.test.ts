import type { Part } from "@threadfold/core";
import { call, result, text } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { renderSample } from "../../testing/render-sample.ts";
import { messagesOf, planWith, summaryOver, threadOf, threadOfEntries } from "../../testing/sample-thread.ts";

const FORMAT = { format: "gemini" } as const;
const SKIP = "skip_thought_signature_validator";
const signed = (part: Part): Part => ({ ...part, providerMetadata: { google: { thoughtSignature: "c2ln" } } }) as Part;
const thought: Part = { type: "reasoning", text: "hm", provider: "google", signature: "dGg=" };

describe("gemini rendering", () => {
  it("W15 Gemini signs every step: with its original signature, or the bypass for foreign and folded history", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", call("a")],
      ["tool", result("a", "1")],
      ["assistant", { ...thought, provider: "anthropic" }, call("b")],
      ["tool", result("b", "2")],
      ["assistant", thought, signed(call("c")), call("d")],
      ["tool", result("d", "4")],
      ["tool", result("c", "3")],
    );
    const { payload, format, warnings } = renderSample(thread, {
      ...FORMAT,
      plan: planWith(thread, summaryOver(thread, [2, 3])),
    });
    const signatures = payload.contents.map(({ parts }: { parts: { thoughtSignature?: string }[] }) =>
      parts.map(({ thoughtSignature }) => thoughtSignature),
    );
    expect(signatures).toEqual([
      [undefined],
      [undefined, SKIP],
      [undefined],
      ["dGg=", "c2ln", undefined],
      [undefined, undefined],
    ]);
    expect(format.check(payload)).toEqual([]);
    expect(warnings).toEqual([
      { kind: "result-moved", messageIds: ["m8", "m7"] },
      { kind: "reasoning-left-out", reason: "other-provider", messageIds: ["m4"] },
    ]);
  });

  it("W15 Gemini drops signatures of another model, with a warning", () => {
    const [go, asks, answer] = messagesOf([
      ["user", "go"],
      ["assistant", thought, signed(text("look")), signed(call("a"))],
      ["tool", result("a", "1")],
    ]);
    const thread = threadOfEntries(
      ...[go!, { ...asks!, model: "gemini-2.5-pro" }, answer!].map(
        (message) => ({ type: "message", message }) as const,
      ),
    );
    const { payload, warnings } = renderSample(thread, { ...FORMAT, model: "gemini-3-pro" });
    expect(payload.contents[1].parts).toEqual([
      { text: "look" },
      { functionCall: { id: "a", name: "read", args: { path: "a.ts" } }, thoughtSignature: SKIP },
    ]);
    expect(warnings).toEqual([{ kind: "reasoning-left-out", reason: "other-model", messageIds: ["m2"] }]);
    const same = renderSample(thread, { ...FORMAT, model: "models/gemini-2.5-pro" });
    expect(same.payload.contents[1].parts[2].thoughtSignature).toBe("c2ln");
  });

  it("W14 Gemini answers every call, and W9 W10 starts and ends with the user", () => {
    const thread = threadOf(["assistant", "hi", call("a"), call("b")], ["tool", result("b", "2")], ["assistant", "so"]);
    const { payload, format } = renderSample(thread, FORMAT);
    expect(payload.contents.map(({ role, parts }: { role: string; parts: object[] }) => [role, parts.length])).toEqual([
      ["user", 1],
      ["model", 3],
      ["user", 2],
      ["model", 1],
      ["user", 1],
    ]);
    expect(format.check(payload)).toEqual([]);
  });

  it("sends Gemini's own parts unchanged, and rewrites tool names to accepted ones wherever they occur", () => {
    const code = { executableCode: { language: "PYTHON", code: "1" } };
    const thread = threadOf(
      ["user", "go"],
      ["assistant", { type: "opaque", provider: "google", value: code }, call("a", "7z run")],
      ["tool", result("a", "1", { toolName: "7z run" })],
      ["assistant", { type: "opaque", provider: "google", value: { x: 1 } }, "so"],
      ["user", "on"],
    );
    const inputSchema = {
      type: "object",
      properties: { default: { type: "string", pattern: "^a" }, b: { const: { not: 1 } } },
    };
    const { payload, warnings } = renderSample(thread, { ...FORMAT, tools: [{ name: "7z run", inputSchema }] });
    expect(payload.contents[1].parts[0]).toEqual(code);
    expect(payload.contents[1].parts[1].functionCall.name).toBe("_7z_run");
    expect(payload.contents[2].parts[0].functionResponse.name).toBe("_7z_run");
    expect(payload.tools[0].functionDeclarations[0].name).toBe("_7z_run");
    expect(warnings).toEqual([
      { kind: "tool-renamed", names: ["7z run → _7z_run"], messageIds: ["m2"] },
      { kind: "opaque-left-out", reason: "malformed", messageIds: ["m4"] },
      { kind: "tool-schema-beyond-provider", names: ["_7z_run (const, pattern)"], messageIds: [] },
    ]);
  });

  it("sends media by URL only if the media type is known", () => {
    const url = "https://example.com/a.png";
    const thread = threadOf([
      "user",
      { type: "image", source: { kind: "url", url, mediaType: "image/png" } },
      { type: "image", source: { kind: "url", url } },
    ]);
    const { payload, warnings } = renderSample(thread, FORMAT);
    expect(payload.contents[0].parts).toEqual([
      { fileData: { mimeType: "image/png", fileUri: url } },
      { text: "[image left out]" },
    ]);
    expect(warnings).toEqual([{ kind: "media-replaced", reason: "media-type", messageIds: ["m1"] }]);
  });
});
