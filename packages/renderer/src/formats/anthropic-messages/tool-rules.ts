import { asList, asText, type Finding, isPlainObject, type LegalityRule } from "../../legality/legality-rule.ts";
import { type AnthropicView, type PlacedBlock, placeOf } from "./anthropic-view.ts";

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

export const toolsDeclared: LegalityRule<AnthropicView> = {
  id: "tools-declared",
  description: "A request with calls or results defines tools.",
  reference: "Tool definitions",
  find(view) {
    if (asList(view.payload.tools).length > 0) return [];
    const first = view.blocksOf("tool_use")[0] ?? view.blocksOf("tool_result")[0];
    return first === undefined ? [] : [{ place: placeOf(first), problem: "the request defines no tools" }];
  },
};

export const toolNames: LegalityRule<AnthropicView> = {
  id: "tool-names",
  description: "Tool names have at most 128 letters, digits, _ and -, in calls and definitions.",
  reference: "Tool definitions",
  find: (view) => [
    ...asList(view.payload.tools).flatMap((tool, index) =>
      isPlainObject(tool) && NAME.test(asText(tool.name) ?? "")
        ? []
        : [
            {
              place: { path: `$.tools[${index}].name` },
              problem: "the name is missing or too long, or has characters that are not allowed",
            },
          ],
    ),
    ...view
      .blocksOf("tool_use")
      .filter(({ block }) => !NAME.test(asText(block.name) ?? ""))
      .map((placed) => ({
        place: placeOf(placed, "name"),
        problem: "the name is missing or too long, or has characters that are not allowed",
      })),
  ],
};

export const deferredTools: LegalityRule<AnthropicView> = {
  id: "deferred-tools",
  description: "A deferred tool carries no cache breakpoint, and at least one tool is not deferred.",
  reference: "Tool definitions",
  find({ payload }) {
    const tools = asList(payload.tools).map((tool) => (isPlainObject(tool) ? tool : {}));
    const marked = tools.flatMap((tool, index): readonly Finding[] =>
      tool.defer_loading === true && isPlainObject(tool.cache_control)
        ? [{ place: { path: `$.tools[${index}].cache_control` }, problem: "the deferred tool has a cache breakpoint" }]
        : [],
    );
    const areAll = tools.length > 0 && tools.every((tool) => tool.defer_loading === true);
    return areAll ? [...marked, { place: { path: "$.tools" }, problem: "every tool is deferred" }] : marked;
  },
};

export const toolReferences: LegalityRule<AnthropicView> = {
  id: "tool-references",
  description: "A result of a tool search refers only to tools that the request defines.",
  reference: "Tool definitions",
  find(view) {
    const defined = new Set(asList(view.payload.tools).map((tool) => isPlainObject(tool) && tool.name));
    const unknown = (placed: PlacedBlock, field: string, blocks: unknown): readonly Finding[] =>
      asList(blocks).flatMap((inner, index) =>
        isPlainObject(inner) && inner.type === "tool_reference" && !defined.has(asText(inner.tool_name) ?? "")
          ? [{ place: placeOf(placed, `${field}[${index}]`), problem: "the request defines no such tool" }]
          : [],
      );
    return [
      ...view.blocksOf("tool_result").flatMap((placed) => unknown(placed, "content", placed.block.content)),
      ...view.blocksOf("tool_search_tool_result").flatMap((placed) => {
        const { content } = placed.block;
        return isPlainObject(content) ? unknown(placed, "content.tool_references", content.tool_references) : [];
      }),
    ];
  },
};

/**
 * Returns the key that a call and its result share, distinguishing provider tools from MCP tools; undefined for others.
 */
function pairOf({ block }: PlacedBlock): { readonly key: string; readonly isCall: boolean } | undefined {
  const type = asText(block.type) ?? "";
  if (type === "server_tool_use" || type === "mcp_tool_use")
    return { key: `${type} ${String(block.id)}`, isCall: true };
  if (!type.endsWith("_tool_result")) return undefined;
  const call = type === "mcp_tool_result" ? "mcp_tool_use" : "server_tool_use";
  return { key: `${call} ${String(block.tool_use_id)}`, isCall: false };
}

export const serverTools: LegalityRule<AnthropicView> = {
  id: "server-tools",
  description:
    "A call to a tool that the provider runs is answered once, before the user speaks again, unless the request ends with it.",
  reference: "Call → result",
  find(view) {
    const findings: Finding[] = [];
    const open = new Map<string, PlacedBlock>();
    const called = new Set<string>();
    const unanswered = (): void => {
      for (const call of open.values()) findings.push({ place: placeOf(call), problem: "the call has no result" });
      open.clear();
    };
    for (const { role, blocks } of view.turns) {
      for (const placed of blocks) {
        if (role !== "assistant" && placed.block.type !== "tool_result") unanswered();
        const pair = pairOf(placed);
        if (pair === undefined) continue;
        if (!pair.isCall && !open.delete(pair.key))
          findings.push({ place: placeOf(placed), problem: "no call matches this result" });
        if (pair.isCall && called.has(pair.key))
          findings.push({ place: placeOf(placed, "id"), problem: "an earlier call has the same id" });
        else if (pair.isCall) open.set(pair.key, placed);
        if (pair.isCall) called.add(pair.key);
      }
    }
    // The provider continues any call that is still open: nobody has spoken since.
    return findings;
  },
};

/** Checks whether the request ends with an assistant turn that has a call for the provider to continue. */
export function isPaused({ turns }: AnthropicView): boolean {
  const open = new Set<string>();
  for (const { role, blocks } of turns) {
    for (const placed of blocks) {
      if (role !== "assistant" && placed.block.type !== "tool_result") open.clear();
      const pair = pairOf(placed);
      if (pair?.isCall === true) open.add(pair.key);
      else if (pair !== undefined) open.delete(pair.key);
    }
  }
  return open.size > 0;
}

export const callers: LegalityRule<AnthropicView> = {
  id: "callers",
  description: "A call that a program of the provider's made, and what answers it, come after the program.",
  reference: "Call → result",
  find(view) {
    const programs = new Set<unknown>();
    return view.blocks.flatMap((placed) => {
      const { type, id, caller } = placed.block;
      if (type === "server_tool_use") programs.add(id);
      const isKnown = !isPlainObject(caller) || caller.tool_id === undefined || programs.has(caller.tool_id);
      return isKnown ? [] : [{ place: placeOf(placed, "caller"), problem: "no program before it made the call" }];
    });
  },
};

export const callIdForm: LegalityRule<AnthropicView> = {
  id: "call-id-form",
  description: "A call id is made of letters, digits, _ and -.",
  reference: "Duplicate ids",
  find: (view) =>
    view
      .blocksOf("tool_use")
      .filter(({ block }) => !/^[a-zA-Z0-9_-]+$/.test(asText(block.id) ?? ""))
      .map((placed) => ({
        place: placeOf(placed, "id"),
        problem: "the call id is missing or has characters that are not allowed",
      })),
};

export const callIdOnce: LegalityRule<AnthropicView> = {
  id: "call-id-once",
  description: "A call id is used for only one call of the request.",
  reference: "Duplicate ids",
  find(view) {
    const seen = new Set<unknown>();
    return view
      .blocksOf("tool_use")
      .filter(({ block }) => seen.has(block.id) || !seen.add(block.id))
      .map((placed) => ({ place: placeOf(placed, "id"), problem: "an earlier call has the same id" }));
  },
};

export const objectInput: LegalityRule<AnthropicView> = {
  id: "W19",
  description: "The input of a call is a JSON object.",
  reference: "Arguments",
  find: (view) =>
    view
      .blocksOf("tool_use")
      .filter(({ block }) => !isPlainObject(block.input))
      .map((placed) => ({ place: placeOf(placed, "input"), problem: "the input is not an object" })),
};

export const failedResults: LegalityRule<AnthropicView> = {
  id: "failed-results",
  description: "A result that is marked as failed holds only text.",
  reference: "Images/docs",
  find: (view) =>
    view.blocksOf("tool_result").flatMap((placed) => {
      if (placed.block.is_error !== true) return [];
      const index = asList(placed.block.content).findIndex((inner) => !isPlainObject(inner) || inner.type !== "text");
      if (index < 0) return [];
      return [{ place: placeOf(placed, `content[${index}]`), problem: "the failed result holds more than text" }];
    }),
};

/** Reports results that follow other content in their turn, either in the same message or in an earlier one. */
function lateResults({ turns }: AnthropicView, inSameMessage: boolean): readonly Finding[] {
  return turns.flatMap(({ role, blocks }) => {
    if (role === "assistant") return [];
    const speech = blocks.find(({ block }) => block.type !== "tool_result");
    if (speech === undefined) return [];
    return blocks
      .slice(blocks.indexOf(speech))
      .filter(({ block, message }) => block.type === "tool_result" && (message === speech.message) === inSameMessage)
      .map((placed) => ({ place: placeOf(placed), problem: "the result comes after other content of its turn" }));
  });
}

/** The API joins user messages, so one between a call and its result puts content before the result. */
export const resultsBeforeSpeech: LegalityRule<AnthropicView> = {
  id: "W3",
  description: "No user message comes between a call and its result.",
  reference: "Call → result",
  find: (view) => lateResults(view, false),
};

export const resultsFirst: LegalityRule<AnthropicView> = {
  id: "W18",
  description: "In a user message, results come before everything else.",
  reference: "Call → result",
  find: (view) => lateResults(view, true),
};
