import {
  isDeferredTool,
  type JsonObject,
  type JsonValue,
  schemaDigestOf,
  type ToolDefinition,
  toolKey,
  toolNameOf,
  toolsFoundIn,
} from "@threadfold/core";
import { acceptedToolName } from "../capabilities/format-requirements.ts";
import { derivation } from "../input/derivation.ts";
import type { RenderInput } from "../input/render-input.ts";
import type { Draft } from "../neutral/draft.ts";
import type { Repair } from "./conformance.ts";

/**
 * Returns the tools that messages use, with a schema that accepts anything: sent when calls require a definition and
 * the host gave none. Ordered by first use, so that a longer log only adds to the end.
 *
 * @param known tools used by earlier messages; the same list is returned when these messages use no others.
 */
export function declaredTools(known: readonly ToolDefinition[], drafts: readonly Draft[]): readonly ToolDefinition[] {
  const names = new Set<string>();
  for (const { chat } of drafts) {
    if (chat.role !== "assistant") continue;
    for (const part of chat.parts) if (part.type === "tool-call") names.add(part.toolName);
  }
  for (const { name } of known) names.delete(name);
  if (names.size === 0) return known;
  return [...known, ...Array.from(names, (name) => ({ name, inputSchema: { type: "object" } }))];
}

/**
 * Declares tools outright if the model found them in a search that the plan hides. A deferred tool of the host is
 * declared if its schema is still the same: the provider shows it only where a search for it is in the request. A tool
 * that was defined by a search is declared if the host has none of that name: nothing else in the request defines it.
 */
export const declareRevealedTools: Repair = {
  name: "declare-revealed-tools",
  end: "first",
  apply(request, { input: { plan } }) {
    const { revealedTools = [] } = plan;
    if (revealedTools.length === 0) return request;
    const digests = new Map(revealedTools.map((tool) => [toolKey(tool), tool.schemaDigest]));
    const isRevealed = (tool: ToolDefinition): boolean =>
      isDeferredTool(tool) && digests.get(keyOf(tool)) === schemaDigestOf(tool);
    const tools = request.tools.map((tool) => (isRevealed(tool) ? declared(tool) : tool));
    const offered = new Set(tools.map(keyOf));
    const found = revealedTools.flatMap(({ definition }) =>
      definition === undefined || offered.has(keyOf(definition)) ? [] : [definition],
    );
    return { ...request, tools: [...tools, ...found] };
  },
};

/** Declares every tool outright if the model does not support tool search, and leaves out the search tool itself. */
export const declareWaitingTools: Repair = {
  name: "declare-waiting-tools",
  end: "first",
  apply(request, { requirements: { searches }, warnings }) {
    if (searches?.refused !== true || !request.tools.some((tool) => isDeferredTool(tool) || isSearch(tool)))
      return request;
    warnings.named("field-left-out", ["openai.defer_loading"]);
    const tools = request.tools.filter((tool) => !isSearch(tool));
    return { ...request, tools: tools.map((tool) => (isDeferredTool(tool) ? declared(tool) : tool)) };
  },
};

const isSearch = ({ providerMetadata }: ToolDefinition): boolean =>
  providerMetadata?.["openai"]?.["type"] === "tool_search";

const keyOf = (tool: ToolDefinition): string => toolKey(toolNameOf(tool));

/** Returns the definition without the mark that defers it. */
const declared = ({ providerMetadata = {}, ...tool }: ToolDefinition): ToolDefinition => ({
  ...tool,
  providerMetadata: Object.fromEntries(
    Object.entries(providerMetadata).map(([provider, { defer_loading: _, ...fields }]) => [provider, fields]),
  ),
});

/**
 * Removes from a request's tools those that a search in the request defines as well: a tool is declared once, as it was
 * last found. A host's tool is deferred again, and one that only the plan has is left out.
 *
 * @param given the tools that the host defines.
 */
export function leaveToSearches(
  tools: readonly ToolDefinition[],
  { plan: { revealedTools = [] }, tools: given }: Pick<RenderInput, "plan" | "tools">,
  drafts: () => Iterable<Draft>,
): readonly ToolDefinition[] {
  if (revealedTools.length === 0) return tools;
  const revealed = new Set(revealedTools.map(toolKey));
  const shown = new Set<string>();
  for (const { chat } of drafts())
    for (const tool of toolsFoundIn(chat)) if (tool.definition !== undefined) shown.add(toolKey(tool));
  const isLeft = (tool: ToolDefinition): boolean => revealed.has(keyOf(tool)) && shown.has(keyOf(tool));
  if (!tools.some(isLeft)) return tools;
  const own = new Map(given.map((tool) => [keyOf(tool), tool]));
  return tools.flatMap((tool) => (isLeft(tool) ? (own.get(keyOf(tool)) ?? []) : [tool]));
}

/** Changes the names of tool definitions to ones that the provider accepts, and keeps one definition per name. */
export const defineToolsOnce: Repair = {
  name: "define-tools-once",
  end: "first",
  apply(request, { requirements: { toolNames, toolNamespaces }, warnings }) {
    if (toolNames.refused === null && toolNames.maxLength === null) return request;
    const taken = new Set<string>();
    const tools = request.tools.flatMap((tool): readonly ToolDefinition[] => {
      const name = acceptedToolName(tool.name, toolNames);
      if (name !== tool.name) warnings.named("tool-renamed", [`${tool.name} → ${name}`]);
      const key = toolNamespaces === true ? toolKey({ ...toolNameOf(tool), name }) : name;
      if (taken.has(key)) warnings.named("tool-definition-left-out", [tool.name]);
      const isNew = !taken.has(key) && taken.add(key);
      return isNew ? [name === tool.name ? tool : { ...tool, name }] : [];
    });
    const unchanged =
      tools.length === request.tools.length && tools.every((tool, index) => tool === request.tools[index]);
    return unchanged ? request : { ...request, tools };
  },
};

/** Changes nothing: reports which tools have a schema with keywords that the provider ignores. */
export const noteSchemaKeywords: Repair = {
  name: "note-schema-keywords",
  end: "first",
  apply(request, { requirements: { schemaKeywords }, warnings }) {
    if (schemaKeywords === undefined) return request;
    for (const tool of request.tools) {
      const beyond = keywordsBeyond(tool, schemaKeywords);
      if (beyond.length > 0) warnings.named("tool-schema-beyond-provider", [`${tool.name} (${beyond.join(", ")})`]);
    }
    return request;
  },
};

const keywordsBeyond = derivation((tool: ToolDefinition, heeded: readonly string[]): readonly string[] => {
  const beyond = new Set<string>();
  visit(tool.inputSchema, (keyword) => {
    if (!heeded.includes(keyword)) beyond.add(keyword);
  });
  return [...beyond].sort();
});

/** Keywords whose value maps the tool's own names to schemas. */
const MAPS: readonly string[] = ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"];
/** Keywords whose value is data. */
const DATA: readonly string[] = ["enum", "const", "default", "example", "examples", "required", "propertyOrdering"];

function visit(schema: JsonValue | undefined, seen: (keyword: string) => void): void {
  if (Array.isArray(schema)) {
    for (const item of schema) visit(item, seen);
    return;
  }
  if (!isObject(schema)) return;
  for (const [keyword, value] of Object.entries(schema)) {
    seen(keyword);
    if (DATA.includes(keyword)) continue;
    visit(MAPS.includes(keyword) && isObject(value) ? Object.values(value).map((item) => item ?? null) : value, seen);
  }
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
