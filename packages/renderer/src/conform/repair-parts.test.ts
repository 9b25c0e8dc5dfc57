import type { MediaPart, MessageInput, Part, ProviderMetadata, SystemEntry, ToolDefinition } from "@threadfold/core";
import { call, result, text } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { inEveryFormat, renderSample } from "../testing/render-sample.ts";
import {
  image,
  messagesAt,
  messagesOf,
  planWith,
  recordOver,
  signed,
  textsOf,
  threadOf,
  threadOfEntries,
} from "../testing/sample-thread.ts";

describe("repairs of message parts", () => {
  it("W11 drop blank texts and messages that end up empty", () => {
    const thread = threadOf(
      ["user", "go", " "],
      ["assistant", ""],
      ["user"],
      ["assistant", "\n", "ok"],
      ["user", "on"],
    );
    for (const { request, warnings } of inEveryFormat(thread, planWith(thread))) {
      expect(textsOf(request.messages)).toEqual(["go", "ok", "on"]);
      expect(warnings).toEqual([
        { kind: "blank-text-left-out", messageIds: ["m1", "m2", "m4"] },
        { kind: "message-left-out", messageIds: ["m2", "m3"] },
      ]);
    }
  });

  it("W12 keep signed thinking of the same provider only, and replay none in OpenAI Chat", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", signed, "one"],
      [
        "assistant",
        { type: "reasoning", text: "plain" },
        { type: "reasoning", text: "", provider: "openai", encrypted: "eA==" },
        "two",
      ],
      ["assistant", { type: "reasoning", text: "", provider: "anthropic", encrypted: "cmVk" }, "three"],
      ["user", "on"],
    );
    const { messages, warnings } = renderSample(thread, { format: "anthropic-messages" });
    expect(messages[1].content).toEqual([
      { type: "thinking", thinking: "hm", signature: "c2ln" },
      text("one"),
      text("two"),
    ]);
    // Each answer that begins with reasoning opens a turn of its own, as when it was asked for.
    expect(messages[2].content).toEqual([text("[Continue from here]")]);
    expect(messages[3].content).toEqual([{ type: "redacted_thinking", data: "cmVk" }, text("three")]);
    expect(warnings).toEqual([
      { kind: "reasoning-left-out", reason: "not-signed", messageIds: ["m3"] },
      { kind: "reasoning-left-out", reason: "other-provider", messageIds: ["m3"] },
      { kind: "turn-opened", messageIds: ["m4"] },
    ]);
    expect(renderSample(thread, { format: "openai-chat" }).warnings).toEqual([
      { kind: "reasoning-left-out", reason: "not-replayed", messageIds: ["m2", "m3", "m4"] },
    ]);
  });

  it("W13 strip signed thinking from the tool loop of the first edit on, and keep it before", () => {
    const thread = threadOf(
      ["user", "one"],
      ["assistant", signed, "kept"],
      ["user", "two"],
      ["assistant", signed, call("a")],
      ["tool", result("a", "long")],
      ["assistant", signed, "stripped"],
      ["user", "on"],
    );
    const plan = planWith(thread, {
      ...recordOver(thread, 5),
      action: "clear",
      targets: ["tool-result"],
      preservedFields: {},
    });
    const { request, warnings } = renderSample(thread, { format: "anthropic-messages", plan });
    expect(
      request.messages
        .filter(({ parts }) => parts.some(({ type }) => type === "reasoning"))
        .flatMap(({ sources }) => sources),
    ).toEqual(["m2"]);
    expect(warnings).toContainEqual({ kind: "reasoning-left-out", reason: "behind-an-edit", messageIds: ["m4", "m6"] });
  });

  it("W12 drop thinking that nothing follows", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", "so", signed],
      ["user", "on"],
      ["assistant", signed],
      ["assistant", "then"],
      ["user", "end"],
    );
    const { messages, warnings } = renderSample(thread, { format: "anthropic-messages" });
    expect(messages.map(({ content }) => content.map(({ type }: { type: string }) => type))).toEqual([
      ["text"],
      ["text"],
      ["text"],
      ["thinking", "text"],
      ["text"],
    ]);
    expect(warnings).toEqual([{ kind: "reasoning-left-out", reason: "at-the-end", messageIds: ["m2"] }]);
  });

  it("W11 drop reasoning in a message of its own where every message is sent as one, and keep it beside anything", () => {
    const hm: Part = { type: "reasoning", text: "hm" };
    const thread = threadOf(
      ["user", "go"],
      ["assistant", hm],
      ["assistant", "so", hm],
      ["assistant", hm, call("a")],
      ["tool", result("a", "ok")],
      ["assistant", hm],
      ["user", "on"],
    );
    const sample = renderSample(thread, { format: "openai-chat", model: "deepseek-v4" });
    expect(sample.messages.filter(({ role }) => role === "assistant")).toMatchObject([
      { content: "so", reasoning_content: "hm" },
      { content: null, reasoning_content: "hm" },
    ]);
    expect(sample.warnings).toEqual([{ kind: "reasoning-left-out", reason: "at-the-end", messageIds: ["m2", "m6"] }]);
    expect(sample.format.check(sample.payload, sample.manifest)).toEqual([]);
  });

  it("keep pictures where they are legal and put a marker where they are not", () => {
    const bmp: MediaPart = { type: "image", source: { kind: "base64", mediaType: "image/bmp", data: "AA==" } };
    const pdf: MediaPart = {
      type: "file",
      source: { kind: "base64", mediaType: "application/pdf", data: "AA==" },
      name: "a.pdf",
    };
    const thread = threadOf(
      ["user", image, bmp, pdf],
      ["assistant", image, call("a")],
      ["tool", result("a", "", { content: { type: "blocks", blocks: [image] } })],
    );
    const anthropic = renderSample(thread, { format: "anthropic-messages" });
    expect(anthropic.messages[0].content).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
      text("[image left out: image/bmp]"),
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AA==" }, title: "a.pdf" },
    ]);
    expect(anthropic.messages[2].content[0].content[0].type).toBe("image");
    const openai = renderSample(thread, { format: "openai-chat" });
    expect(openai.messages[0].content.map(({ type }: { type: string }) => type)).toEqual(["image_url", "text", "file"]);
    expect(openai.messages[2].content).toBe("[image left out: image/png, a.png]");
    expect(openai.warnings.filter(({ kind }) => kind === "media-replaced")).toEqual([
      { kind: "media-replaced", reason: "media-type", messageIds: ["m1"] },
      { kind: "media-replaced", reason: "role", messageIds: ["m2"] },
      { kind: "media-replaced", reason: "in-tool-result", messageIds: ["m3"] },
    ]);
  });

  it("send pictures and documents with the type that their bytes have, in its plain form", () => {
    const png = `iVBORw0KGgo${"A".repeat(9)}`;
    const pictures: readonly (readonly [mediaType: string, data: string, sent: string])[] = [
      ["image/jpg", "AAAA", "image/jpeg"],
      ["IMAGE/PNG; q=1", "AAAA", "image/png"],
      ["image/jpeg", png, "image/png"],
      ["application/octet-stream", png, "image/png"],
      ["image/png", "/9j/4AAQ", "image/jpeg"],
      ["image/png", "R0lGODlh", "image/gif"],
      ["image/png", "UklGRiQAAABXRUJQ", "image/webp"],
      ["image/png", "data:image/jpg;base64,AAAA", "image/jpeg"],
    ];
    const given = pictures.map(
      ([mediaType, data]): MediaPart => ({ type: "image", source: { kind: "base64", mediaType, data } }),
    );
    const inUrl: MediaPart = { type: "image", source: { kind: "url", url: "data:image/webp;base64,AAAA" } };
    const pdf: MediaPart = {
      type: "file",
      source: { kind: "base64", mediaType: "application/x-pdf", data: "JVBERi0x" },
    };
    const thread = threadOf(
      ["user", ...given, inUrl, pdf],
      ["assistant", call("a")],
      ["tool", result("a", "", { content: { type: "blocks", blocks: given } })],
      ["user", "on"],
    );
    const { messages, warnings } = renderSample(thread, { format: "anthropic-messages" });
    const typesOf = (content: readonly { readonly source: { readonly media_type: string } }[]) =>
      content.map(({ source }) => source.media_type);
    const sent = pictures.map(([, , mediaType]) => mediaType);
    expect(typesOf(messages[0].content)).toEqual([...sent, "image/webp", "application/pdf"]);
    expect(typesOf(messages[2].content[0].content)).toEqual(sent);
    expect(messages[0].content[7].source.data).toBe("AAAA");
    expect(warnings.map(({ kind }) => kind)).toEqual(["tools-declared"]);
  });

  it("W11 put a marker where a picture or document has nothing in it, in every format", () => {
    const png = "image/png";
    const empty: readonly MediaPart["source"][] = [
      { kind: "base64", mediaType: png, data: "" },
      { kind: "base64", mediaType: png, data: " \n" },
      { kind: "url", url: "", mediaType: png },
      { kind: "url", url: `data:${png};base64,`, mediaType: png },
      { kind: "file-id", fileId: "", mediaType: png },
    ];
    const blocks = empty.map((source): MediaPart => ({ type: "image", source, name: "a.png" }));
    const thread = threadOf(
      ["user", "go", ...blocks, image],
      ["assistant", call("a")],
      ["tool", result("a", "", { content: { type: "blocks", blocks: [text("Seen:"), ...blocks] } })],
      ["user", "on"],
    );
    for (const { request, warnings, format } of inEveryFormat(thread, planWith(thread), { model: "gemini-3-pro" })) {
      const marker = "[image left out: image/png, a.png]";
      expect([format.id, ...textsOf(request.messages.slice(0, 1))]).toEqual([
        format.id,
        ["go", ...empty.map(() => marker), "image"].join("|"),
      ]);
      const [part] = request.messages[2]?.parts ?? [];
      const sent = part?.type === "tool-result" && part.result.content.type === "blocks" ? part.result.content : null;
      expect(sent?.blocks).toEqual([text("Seen:"), ...empty.map(() => text(marker))]);
      expect(warnings).toContainEqual({
        kind: "media-replaced",
        reason: "empty",
        messageIds: expect.arrayContaining(["m1"]),
      });
    }
  });

  it("send opaque items to their own provider alone, byte for byte", () => {
    const value = { type: "compaction", content: "…", z: 1, a: [2] };
    const thread = threadOf(
      ["user", "go"],
      ["assistant", { type: "opaque", provider: "anthropic", value }, "so"],
      ["user", "on"],
    );
    expect(renderSample(thread, { format: "anthropic-messages" }).messages[1].content[0]).toBe(
      (messagesAt(thread, 2)[0]!.parts[0] as Extract<Part, { type: "opaque" }>).value,
    );
    expect(renderSample(thread, { format: "openai-chat" }).warnings).toEqual([
      { kind: "opaque-left-out", reason: "other-provider", messageIds: ["m2"] },
    ]);
  });
});

describe("provider metadata without a place in the format", () => {
  const lost = (format: string, providerMetadata: ProviderMetadata, of: "message" | "text" | "system") => {
    const [plain, answer] = messagesOf([
      ["user", "go"],
      ["assistant", "ok"],
    ]) as [MessageInput, MessageInput];
    const message =
      of === "message"
        ? { ...answer, providerMetadata }
        : of === "text"
          ? { ...answer, parts: [{ ...text("ok"), providerMetadata }] }
          : answer;
    const thread = threadOfEntries({ type: "message", message: plain }, { type: "message", message });
    const system: readonly SystemEntry[] = of === "system" ? [{ text: "be kind", providerMetadata }] : [];
    const { warnings } = renderSample(thread, { format, system });
    return warnings.flatMap((warning) =>
      warning.kind === "field-left-out" ? [[...warning.names], warning.messageIds.join()] : [],
    );
  };

  it("is named in a warning with its message, unlike metadata that the format can carry", () => {
    expect(lost("openai-chat", { openai: { name: "ann" } }, "message")).toEqual([]);
    expect(lost("openai-responses", { openai: { name: "ann" } }, "message")).toEqual([["openai.name"], "m2"]);
    expect(lost("gemini", { openai: { name: "ann", role: "developer" }, x: { y: 1 } }, "message")).toEqual([
      ["openai.name", "openai.role", "x.y"],
      "m2",
    ]);
    expect(lost("neutral", { openai: { name: "ann" }, x: { y: 1 } }, "message")).toEqual([]);
    // The AI SDK takes the options of any provider, but has no place for OpenAI's own fields of a message.
    expect(lost("ai-sdk", { openai: { name: "ann" }, x: { y: 1 } }, "message")).toEqual([["openai.name"], "m2"]);
  });

  it("causes no warning for the system role, which every format can express", () => {
    expect(lost("gemini", { openai: { role: "system" } }, "message")).toEqual([]);
    expect(lost("gemini", { openai: { role: "system", name: "ann" } }, "message")).toEqual([["openai.name"], "m2"]);
  });

  it("counts only the cache marks and citations of a text, not the provider's bookkeeping", () => {
    const mark = { type: "ephemeral" };
    expect(lost("gemini", { anthropic: { cache_control: mark, citations: [], id: 1 } }, "text")).toEqual([
      ["anthropic.cache_control", "anthropic.citations"],
      "m2",
    ]);
    expect(lost("anthropic-messages", { anthropic: { citations: [] } }, "text")).toEqual([]);
    expect(lost("openai-chat", { openai: { prompt_cache_breakpoint: true }, google: { x: 1 } }, "text")).toEqual([]);
    expect(lost("ai-sdk", { anthropic: { cacheControl: mark } }, "text")).toEqual([]);
  });

  it("is reported for system text without a message id, its role included", () => {
    expect(lost("gemini", { openai: { name: "ann" } }, "system")).toEqual([["openai.name"], ""]);
    expect(lost("openai-chat", { openai: { name: "ann", prompt_cache_breakpoint: true } }, "system")).toEqual([]);
    const roleLost = (format: string, role: "developer" | "system") =>
      renderSample(threadOf(["user", "go"]), { format, system: [{ text: "be kind", role }] }).warnings.flatMap(
        (warning) => (warning.kind === "field-left-out" ? warning.names : []),
      );
    expect(["openai-chat", "openai-responses", "gemini"].map((format) => roleLost(format, "developer"))).toEqual([
      [],
      [],
      ["openai.role"],
    ]);
    expect(roleLost("gemini", "system")).toEqual([]);
  });
});

describe("tool definitions", () => {
  const thread = threadOf(["user", "go"]);
  const tool = (name: string, fields: Partial<ToolDefinition> = {}): ToolDefinition => ({
    ...{ name, inputSchema: { type: "object" } },
    ...fields,
  });
  const rendered = (format: string, tools: readonly ToolDefinition[], options = {}) => {
    const { request, warnings } = renderSample(thread, { format, tools, ...options });
    return {
      tools: request.tools,
      warnings: warnings.map((warning) => ("names" in warning ? [warning.kind, ...warning.names] : [])),
    };
  };

  it("get accepted, unique names, and stay unchanged if they have them", () => {
    const given = [tool("mcp.read"), tool("mcp_read"), tool("bash")];
    const { tools, warnings } = rendered("anthropic-messages", given);
    expect(tools.map(({ name }) => name)).toEqual(["mcp_read", "bash"]);
    expect(tools[1]).toBe(given[2]);
    expect(warnings).toEqual([
      ["tool-renamed", "mcp.read → mcp_read"],
      ["tool-definition-left-out", "mcp_read"],
    ]);
    expect(rendered("anthropic-messages", [tool("a"), tool("b")])).toMatchObject({ warnings: [] });
    expect(rendered("neutral", given)).toEqual({ tools: given, warnings: [] });
  });

  it("may share a name across namespaces if the provider has namespaces", () => {
    const inNamespace = (namespace: string) =>
      tool("read", { providerMetadata: { openai: { namespace: { name: namespace } } } });
    const names = (format: string) => rendered(format, [inNamespace("a"), inNamespace("b"), tool("read")]).tools.length;
    expect([names("openai-responses"), names("openai-chat")]).toEqual([3, 1]);
  });

  it("warn about schema keywords that the provider ignores, but not about names and data", () => {
    const inputSchema = {
      type: "object",
      properties: { unevaluatedItems: { type: "string", contentEncoding: "x" }, list: { items: [{ if: {} }] } },
      enum: [{ contains: 1 }],
      default: { else: {} },
      $defs: { contains: { not: { dependentRequired: {} } } },
      $comment: "x",
    };
    const { tools, warnings } = rendered("gemini", [tool("a", { inputSchema }), tool("b")]);
    expect(warnings).toEqual([["tool-schema-beyond-provider", expect.stringMatching(/^a \((?:[\w$]+, )*[\w$]+\)$/)]]);
    const named = String(warnings[0]?.[1]);
    for (const keyword of ["$comment", "contentEncoding", "dependentRequired", "if", "not"])
      expect(named).toContain(keyword);
    for (const word of ["unevaluatedItems", "list", "contains", "else"]) expect(named).not.toContain(word);
    const keywords = named.slice("a (".length, -1).split(", ");
    expect(keywords).toEqual([...keywords].sort());
    expect(tools[0]?.inputSchema).toBe(inputSchema);
    expect(rendered("anthropic-messages", [tool("a", { inputSchema })]).warnings).toEqual([]);
  });

  it("that are deferred go out directly, without the search tool, to models without tool search", () => {
    const waiting = tool("rare", { providerMetadata: { openai: { defer_loading: true, strict: true } } });
    const search = tool("search", { providerMetadata: { openai: { type: "tool_search" } } });
    const given = [waiting, search, tool("bash")];
    const outright = rendered("openai-responses", given, { model: "gpt-4.1" });
    expect(outright.tools).toEqual([tool("rare", { providerMetadata: { openai: { strict: true } } }), tool("bash")]);
    expect(outright.tools[1]).toBe(given[2]);
    expect(outright.warnings).toContainEqual(["field-left-out", "openai.defer_loading"]);
    expect(rendered("openai-responses", given, { model: "gpt-6" })).toEqual({ tools: given, warnings: [] });
    expect(rendered("openai-responses", [tool("bash")], { model: "gpt-4.1" }).warnings).toEqual([]);
    expect(rendered("openai-responses", [search], { model: "gpt-4.1" }).tools).toEqual([]);
  });
});
