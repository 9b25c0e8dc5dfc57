import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { isJsonValue, jsonValueSchema, MAX_JSON_DEPTH, MAX_VALUE_DEPTH } from "../json/json-value.ts";
import type * as z from "../json/schema.ts";
import type { MessageInput, Usage } from "../model/message.ts";
import type { Part, ToolResultContent, ToolResultEnvelope } from "../model/part.ts";
import { isTime } from "../time/clock.ts";

/**
 * True for valid messages of the common kinds: text, reasoning, calls, and text or JSON results. The schema accepts all
 * of these and rarer ones too, so it is needed only when this returns false. Appending a long log thus takes a fraction
 * of the time that the schema would, above all in a process that has just started.
 */
export function isCommonMessage(value: MessageInput): boolean {
  if (typeof value !== "object" || value === null || !Array.isArray(value.parts)) return false;
  return (
    isId(value.id) &&
    isTime(value.createdAt) &&
    value.branch === undefined &&
    value.providerMetadata === undefined &&
    (value.origin === undefined || value.origin === "harness" || value.origin === "compaction") &&
    (value.model === undefined || isText(value.model)) &&
    (value.usage === undefined || isUsage(value.usage)) &&
    (value.metadata === undefined || isValueObject(value.metadata)) &&
    holdsItsParts(value)
  );
}

function holdsItsParts({ role, parts }: MessageInput): boolean {
  switch (role) {
    case "assistant":
      return parts.every((part) => isSpeech(part) || isCall(part));
    case "user":
    case "system":
      return parts.every(isSpeech);
    case "tool":
      return parts.length === 1 && isResult(parts[0]);
    default:
      return false;
  }
}

function isTextBlock(part: Part | undefined): boolean {
  return isPlainPart(part) && part.type === "text" && isText(part.text);
}

function isSpeech(part: Part | undefined): boolean {
  return isTextBlock(part) || isReasoning(part);
}

function isReasoning(part: Part | undefined): boolean {
  return (
    isPlainPart(part) &&
    part.type === "reasoning" &&
    isText(part.text) &&
    isTextOrAbsent(part.provider) &&
    isTextOrAbsent(part.signature) &&
    isTextOrAbsent(part.encrypted)
  );
}

function isCall(part: Part | undefined): boolean {
  return (
    isPlainPart(part) &&
    part.type === "tool-call" &&
    isId(part.callId) &&
    isText(part.toolName) &&
    isTextOrAbsent(part.invalidInput) &&
    isValue(part.input)
  );
}

function isResult(part: Part | undefined): boolean {
  return isPlainPart(part) && part.type === "tool-result" && isEnvelope(part.result);
}

function isPlainPart(part: Part | undefined): part is Part {
  return typeof part === "object" && part !== null && !("providerMetadata" in part);
}

function isEnvelope(result: ToolResultEnvelope): boolean {
  if (typeof result !== "object" || result === null) return false;
  const { toolName, callId, outcome, content } = result;
  return (
    isText(toolName) &&
    isId(callId) &&
    (outcome === "success" || outcome === "failure" || outcome === "partial") &&
    isBody(content) &&
    (result.keyFields === undefined || isValueObject(result.keyFields)) &&
    result.durability === undefined &&
    result.determinism === undefined &&
    isTextOrAbsent(result.startedAt) &&
    isTextOrAbsent(result.completedAt)
  );
}

function isBody(content: ToolResultContent): boolean {
  if (typeof content !== "object" || content === null) return false;
  if (content.type === "text") return isText(content.text);
  if (content.type === "json") return isValue(content.value);
  return content.type === "blocks" && Array.isArray(content.blocks) && content.blocks.every(isTextBlock);
}

function isUsage(usage: Usage): boolean {
  if (typeof usage !== "object" || usage === null) return false;
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  return [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens].every(
    (tokens) => Number.isFinite(tokens) && tokens >= 0,
  );
}

const isText = (value: unknown): boolean => typeof value === "string" && value.isWellFormed();
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);
const isId = (value: unknown): boolean =>
  typeof value === "string" && value.length >= 1 && value.length <= 512 && value.isWellFormed();
const isValue = (value: unknown): boolean => isJsonValue(value, MAX_JSON_DEPTH - MAX_VALUE_DEPTH);
const isValueObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && isValue(value);

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** What is wrong with a value, where in it, and what helps; without a hint, the one in the error registry applies. */
export interface MessageProblem {
  readonly path: Path;
  readonly problem: string;
  readonly hint?: string;
}

const SURROGATES = "Repair a text with `text.toWellFormed()`, or a whole value with `toWellFormedJson(value)`.";
const TIMES = "Give the time in UTC, such as `new Date().toISOString()`.";

/**
 * Returns what a schema found wrong with a message. A union only reports that none of its members fits, and a JSON
 * schema only that a value is not JSON; this function finds the member that was meant and the place within the value.
 */
export function messageProblem(message: unknown, issue: Issue, at: Path = []): MessageProblem {
  if (at.length === 0 && !hasParts(message)) return { path: ["parts"], problem: "there are none", hint: NO_PARTS };
  const path = [...at, ...issue.path];
  const value = valueAt(message, path);
  if (issue.code === "invalid_union") return problemOfUnion(message, issue, path, value);
  if (isOfJson(issue)) return problemOfJson(value, path) ?? { path, problem: issue.message };
  if (path.length === 1 && path[0] === "createdAt") return { path, problem: issue.message, hint: TIMES };
  const isTorn = typeof value === "string" && !value.isWellFormed();
  return { path, problem: issue.message, ...(isTorn && { hint: SURROGATES }) };
}

const NO_PARTS =
  "userMessage, assistantMessage and toolMessage make messages from texts; what an SDK returns is read with fromAnthropic, fromOpenaiChat and the like.";

/** False for a message in a provider's format, which has `content` instead of `parts`. */
const hasParts = (message: unknown): boolean =>
  typeof message !== "object" || message === null || (message as { readonly parts?: unknown }).parts !== undefined;

function problemOfUnion(
  message: unknown,
  { errors }: Extract<Issue, { readonly code: "invalid_union" }>,
  path: Path,
  value: unknown,
): MessageProblem {
  const [meant] = errors.filter((issues) => !issues.some(isOfType));
  if (meant?.[0] !== undefined) return messageProblem(message, meant[0], path);
  const type = (value as { readonly type?: unknown } | undefined)?.type;
  const types = errors.flat().flatMap((issue) => (isOfType(issue) && "values" in issue ? issue.values : []));
  return {
    path: [...path, "type"],
    problem: `there is no type ${String(JSON.stringify(type)).slice(0, 60)} here`,
    ...(types.length > 0 && {
      hint: `It is one of ${types.join(", ")}. What only one provider knows goes into a part of type opaque.`,
    }),
  };
}

function problemOfJson(value: unknown, at: Path): MessageProblem | undefined {
  try {
    canonicalJson(value);
  } catch (error) {
    if (!ThreadfoldError.isInstance(error)) throw error;
    const { path, found } = error.details as { readonly path: readonly string[]; readonly found: string };
    const hint = found.includes("surrogate") ? SURROGATES : "Pass plain data, as `JSON.parse` returns it.";
    return { path: [...at, ...path], problem: `JSON cannot express ${found}`, hint };
  }
  return undefined;
}

const isOfType = ({ path }: Issue): boolean => path.length === 1 && path[0] === "type";

const JSON_MESSAGE = jsonValueSchema.safeParse(Number.NaN).error?.issues[0]?.message;
const isOfJson = ({ message }: Issue): boolean => message === JSON_MESSAGE;

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce((inner, key) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[key], value);
