import { createHash } from "node:crypto";
import {
  canonicalJson,
  type JsonObject,
  type JsonValue,
  type Part,
  type ProviderAwareTokenizer,
  systemText,
  toolResultText,
  type Usage,
} from "@threadfold/core";

/** The rules of a provider's prompt cache, written independently of the library's tables. */
export interface CacheRules {
  /** Where prefixes end: after blocks with this field, or anywhere if null. */
  readonly mark: "cache_control" | "prompt_cache_breakpoint" | null;
  readonly lookBackBlocks: number;
  readonly ttlSeconds: { readonly "5m": number; readonly "1h"?: number };
  readonly minimumTokens: number;
  /** Reads are counted in steps of this many tokens. */
  readonly step: number;
}

export const ANTHROPIC_RULES: CacheRules = {
  mark: "cache_control",
  lookBackBlocks: 20,
  ttlSeconds: { "5m": 300, "1h": 3_600 },
  minimumTokens: 1_024,
  step: 1,
};
export const OPENAI_RULES: CacheRules = {
  mark: null,
  lookBackBlocks: Number.POSITIVE_INFINITY,
  ttlSeconds: { "5m": 300 },
  minimumTokens: 1_024,
  step: 128,
};
export const OPENAI_MARKED_RULES: CacheRules = {
  ...OPENAI_RULES,
  mark: "prompt_cache_breakpoint",
  ttlSeconds: { "5m": 1_800 },
  step: 1,
};
export const GEMINI_RULES: CacheRules = {
  ...OPENAI_RULES,
  ttlSeconds: { "5m": 3_600 },
  minimumTokens: 4_096,
  step: 1,
};

const LENGTH_PER_TOKEN = 4;
const tokensOf = (text: string): number => Math.ceil(text.length / LENGTH_PER_TOKEN);

/** One block of a payload, as the provider splits it. */
interface WireBlock {
  /** Everything that the model reads of it, without cache marks. */
  readonly content: string;
  readonly tokens: number;
  readonly mark: { readonly ttl: "5m" | "1h" } | null;
}

/**
 * A provider with a prompt cache: it accepts request bodies as they would be sent, and reports usage. It knows nothing
 * about plans, journals and ledgers, and shares no code with them.
 */
export class CachedProvider {
  readonly #rules: CacheRules;
  readonly #entries = new Map<string, { until: number; readonly life: number }>();

  constructor(rules: CacheRules) {
    this.#rules = rules;
  }

  /** Answers a request. @param at time of the request, in milliseconds. */
  answer(payload: JsonObject, model: string, at: number): Usage {
    const blocks = blocksOf(payload, this.#rules.mark);
    const prefixes = this.#prefixes(blocks, model);
    const total = prefixes.at(-1)?.tokens ?? 0;
    const use = this.#rules.mark === null ? this.#anywhere(prefixes, at) : this.#atMarks(blocks, prefixes, at);
    return { inputTokens: total, outputTokens: 10, ...use };
  }

  #prefixes(blocks: readonly WireBlock[], model: string) {
    let hash = model;
    let sum = 0;
    return blocks.map(({ content, tokens }) => {
      hash = createHash("sha256").update(hash).update(content).digest("base64");
      sum += tokens;
      return { hash, tokens: sum };
    });
  }

  #atMarks(blocks: readonly WireBlock[], prefixes: readonly { hash: string; tokens: number }[], at: number) {
    const marks = blocks.flatMap(({ mark }, index) => (mark === null ? [] : [{ index, ttl: mark.ttl }]));
    if (marks.length > 4) throw new Error("400: a request has at most four breakpoints");
    const large = marks.filter(({ index }) => (prefixes[index]?.tokens ?? 0) >= this.#rules.minimumTokens);
    const hits = large.map(({ index }) => {
      for (let back = 0; back <= this.#rules.lookBackBlocks && index - back >= 0; back++)
        if (this.#isHeld(prefixes[index - back]?.hash ?? "", at)) return index - back;
      return -1;
    });
    for (const { index, ttl } of large)
      this.#hold(prefixes[index]?.hash ?? "", at, this.#rules.ttlSeconds[ttl] ?? this.#rules.ttlSeconds["5m"]);
    const read = prefixes[Math.max(-1, ...hits)]?.tokens ?? 0;
    const end = prefixes[large.at(-1)?.index ?? -1]?.tokens ?? 0;
    return { cacheReadTokens: read, cacheWriteTokens: Math.max(0, end - read) };
  }

  #anywhere(prefixes: readonly { hash: string; tokens: number }[], at: number) {
    const { minimumTokens, step, ttlSeconds } = this.#rules;
    if ((prefixes.at(-1)?.tokens ?? 0) < minimumTokens) return { cacheReadTokens: 0 };
    const known = prefixes.findLastIndex(({ hash }) => this.#isHeld(hash, at));
    for (const { hash } of prefixes) this.#hold(hash, at, ttlSeconds["5m"]);
    const found = prefixes[known]?.tokens ?? 0;
    return { cacheReadTokens: found < minimumTokens ? 0 : Math.floor(found / step) * step };
  }

  /** Checks whether a prefix is cached, and if so, refreshes it. */
  #isHeld(hash: string, at: number): boolean {
    const entry = this.#entries.get(hash);
    if (entry === undefined || entry.until <= at) return false;
    entry.until = at + entry.life;
    return true;
  }

  #hold(hash: string, at: number, seconds: number): void {
    if (!this.#isHeld(hash, at)) this.#entries.set(hash, { until: at + 1_000 * seconds, life: 1_000 * seconds });
  }
}

type Fields = { readonly [key: string]: JsonValue | undefined };
const list = (value: JsonValue | undefined): readonly Fields[] =>
  Array.isArray(value) ? (value as readonly Fields[]) : [];

/** The blocks of an Anthropic, OpenAI Chat or Gemini body, in the order in which the provider reads them. */
function blocksOf(payload: Fields, mark: CacheRules["mark"]): readonly WireBlock[] {
  const tools = list(payload["tools"]).flatMap((tool) =>
    "functionDeclarations" in tool ? list(tool["functionDeclarations"]) : [tool],
  );
  const system = payload["system"] ?? (payload["systemInstruction"] as Fields | undefined)?.["parts"];
  const said = list(payload["messages"] ?? payload["contents"]).flatMap((message) => {
    const role = String(message["role"]);
    const content = message["content"] ?? message["parts"];
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : list(content);
    const calls = list(message["tool_calls"]);
    return [...parts, ...calls].map(
      (block) => [role === "system" ? "system" : role, { ...message, content: block }] as const,
    );
  });
  return [
    ...tools.map((tool) => wireBlock("tool", tool, mark)),
    ...list(system).map((block) => wireBlock("system", block, mark)),
    ...said.map(([role, { content }]) => wireBlock(role, content, mark)),
  ];
}

function wireBlock(role: string, block: Fields, mark: CacheRules["mark"]): WireBlock {
  const found = markIn(block, mark);
  const bare = canonicalJson(withoutMarks(block));
  return { content: `${role}${bare}`, tokens: tokensOf(wordsOf(block)), mark: found };
}

function markIn(block: Fields, mark: CacheRules["mark"]): WireBlock["mark"] {
  if (mark === null) return null;
  const own = block[mark] as Fields | undefined;
  const inside = list(block["content"]).flatMap((part) => (mark in part ? [part[mark] as Fields] : []));
  const found = own ?? inside[0];
  return found === undefined ? null : { ttl: found["ttl"] === "1h" ? "1h" : "5m" };
}

const withoutMarks = (value: JsonValue | undefined): JsonValue => {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => key !== "cache_control" && key !== "prompt_cache_breakpoint");
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutMarks(one)]));
};

/** Returns the text of a block that is counted: its text, a call's name and input, or a tool's name and schema. */
function wordsOf(block: Fields): string {
  const call = (block["function"] ?? block["functionCall"] ?? block) as Fields;
  const schema = call["input_schema"] ?? call["parameters"] ?? call["parametersJsonSchema"];
  if (typeof call["name"] === "string" && schema !== undefined) return call["name"] + canonicalJson(schema);
  const input = call["input"] ?? call["args"] ?? call["arguments"];
  if (typeof call["name"] === "string" && input !== undefined)
    return call["name"] + (typeof input === "string" ? canonicalJson(JSON.parse(input)) : canonicalJson(input));
  if (typeof block["text"] === "string") return block["text"];
  const response = (block["functionResponse"] as Fields | undefined)?.["response"] as Fields | undefined;
  if (response !== undefined) return String(Object.values(response)[0]);
  const content = block["content"];
  return typeof content === "string"
    ? content
    : list(content)
        .map(({ text }) => String(text))
        .join("\n");
}

/** Counts as the provider does, so that its figures and a session's can be compared to the token. */
export const providerTokenizer: ProviderAwareTokenizer = {
  id: "cached-provider",
  countTokens: tokensOf,
  countPart,
  messageOverhead: () => 0,
  countMessage: ({ parts }) => parts.reduce((sum, part) => sum + countPart(part), 0),
  countToolSchemas: (tools) =>
    tools.reduce((sum, { name, inputSchema }) => sum + tokensOf(name + canonicalJson(inputSchema)), 0),
  countRequest: ({ system, tools, messages }) =>
    system.reduce((sum, entry) => sum + tokensOf(systemText(entry)), 0) +
    providerTokenizer.countToolSchemas(tools) +
    messages.reduce((sum, { parts }) => sum + parts.reduce((tokens, part) => tokens + countPart(part), 0), 0),
};

function countPart(part: Part): number {
  switch (part.type) {
    case "text":
      return tokensOf(part.text);
    case "tool-call":
      return tokensOf(part.toolName + canonicalJson(part.input));
    case "tool-result":
      return tokensOf(toolResultText(part.result.content));
    default:
      throw new Error(`Tests of the prompt cache have no ${part.type}.`);
  }
}
