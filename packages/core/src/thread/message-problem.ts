import type { z } from "zod";
import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { jsonValueSchema } from "../json/json-value.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** What is wrong with a value, where in it, and what helps; without a hint the registry's own stands. */
export interface MessageProblem {
  readonly path: Path;
  readonly problem: string;
  readonly hint?: string;
}

const SURROGATES = "Repair a text with `text.toWellFormed()`, or a whole value with `toWellFormedJson(value)`.";
const TIMES = "Give the time in UTC, such as `new Date().toISOString()`.";

/**
 * Says what a schema found wrong with a message. A union only says that nothing of it fits, and a JSON value only that
 * it is none: of these the member that was meant, and the place within the value, are looked for.
 */
export function messageProblem(message: unknown, issue: Issue, at: Path = []): MessageProblem {
  const path = [...at, ...issue.path];
  const value = valueAt(message, path);
  if (issue.code === "invalid_union") return problemOfUnion(message, issue, path, value);
  if (isOfJson(issue)) return problemOfJson(value, path) ?? { path, problem: issue.message };
  if (path.length === 1 && path[0] === "createdAt") return { path, problem: issue.message, hint: TIMES };
  const isTorn = typeof value === "string" && !value.isWellFormed();
  return { path, problem: issue.message, ...(isTorn && { hint: SURROGATES }) };
}

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
      hint: `It is one of ${types.join(", ")}. What one provider alone knows goes into a part of type opaque.`,
    }),
  };
}

function problemOfJson(value: unknown, at: Path): MessageProblem | undefined {
  try {
    canonicalJson(value);
  } catch (error) {
    if (!ThreadfoldError.isInstance(error)) throw error;
    const { path, found } = error.details as { readonly path: readonly string[]; readonly found: string };
    const hint = found.includes("surrogate") ? SURROGATES : "Hand in plain data, as `JSON.parse` gives it.";
    return { path: [...at, ...path], problem: `JSON cannot express ${found}`, hint };
  }
  return undefined;
}

const isOfType = ({ path }: Issue): boolean => path.length === 1 && path[0] === "type";

const JSON_MESSAGE = jsonValueSchema.safeParse(Number.NaN).error?.issues[0]?.message;
const isOfJson = ({ message }: Issue): boolean => message === JSON_MESSAGE;

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce((inner, key) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[key], value);
