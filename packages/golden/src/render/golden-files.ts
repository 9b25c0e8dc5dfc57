import { systemText, toSystemText, visibleText } from "@threadfold/core";
import { describeWarning, FORMATS } from "@threadfold/renderer";
import type { PreparedRequest } from "@threadfold/session";
import type { GoldenPayloads } from "../options/golden-options.ts";
import { type PromptTrace, traceFile } from "../trace/prompt-trace.ts";
import { reviewedPlan } from "./reviewed-plan.ts";

/** The files that every golden prompt has, in reviewing order. */
export const COMMON_FILES = {
  page: "prompt.md",
  plan: "plan.json",
  trace: "messages.json",
  options: "options.json",
} as const;
const DIGESTS_FILE = "payloads.json";

/** Every name that a file of a golden prompt can have. Any other file in its folder belongs to somebody else. */
export const GOLDEN_FILE_NAMES: readonly string[] = Object.freeze([
  ...Object.values(COMMON_FILES),
  DIGESTS_FILE,
  ...FORMATS.map(({ id }) => `${id}.json`),
]);

/** Returns the files of a golden prompt, by name and in reviewing order: the page first. */
export function goldenFiles(
  prepared: readonly [PreparedRequest, ...PreparedRequest[]],
  trace: PromptTrace,
  options: unknown,
  payloads: GoldenPayloads,
): ReadonlyMap<string, string> {
  return new Map([
    [COMMON_FILES.page, promptPage(prepared[0])],
    [COMMON_FILES.plan, reviewJson(reviewedPlan(prepared[0].plan))],
    [COMMON_FILES.trace, traceFile(trace)],
    [COMMON_FILES.options, reviewJson(options)],
    ...payloadFiles(prepared, payloads),
  ]);
}

function payloadFiles(prepared: readonly PreparedRequest[], payloads: GoldenPayloads): readonly [string, string][] {
  switch (payloads) {
    case "full":
      return prepared.map(({ format, payload }) => [`${format}.json`, reviewJson(payload)]);
    case "digests":
      return [
        [
          DIGESTS_FILE,
          reviewJson(Object.fromEntries(prepared.map(({ format, bytes, digest }) => [format, { bytes, digest }]))),
        ],
      ];
    case "none":
      return [];
  }
}

/** The neutral prompt as a page for people: each message with its role, action, source messages and tokens. */
function promptPage(prepared: PreparedRequest): string {
  const { request, manifest, tokens, breakdown, plan, warnings } = prepared;
  const shares = Object.entries(breakdown).map(([name, share]) => `${name} ${share}`);
  const head = [
    `# Prompt under plan ${plan.version}`,
    "",
    `${tokens} tokens: ${shares.join(", ")}.`,
    `${plan.externalizations.length} externalized, ${plan.clearings.length} cleared, ${plan.summarizations.length} summaries, ${plan.drops.length} dropped spans.`,
    ...warnings.map((warning) => `Note: ${describeWarning(warning)}.`),
  ];
  const system = request.system.map((entry) => `\n## ${toSystemText(entry).role ?? "system"}\n\n${systemText(entry)}`);
  const tools = request.tools.length === 0 ? [] : [`\n## tools\n\n${request.tools.map(({ name }) => name).join(", ")}`];
  const messages = request.messages.map((message, index) => {
    const entry = manifest.messages[index];
    const title = [`${index}. ${message.role}`, entry?.action, sourcesOf(message.sources), `${entry?.tokens} tokens`];
    return `## ${title.join(" · ")}\n\n${visibleText(message)}\n`;
  });
  return withVisibleControls([...head, ...system, ...tools, "", ...messages].join("\n"));
}

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Replaces everything but line feeds and tabs that controls how text is shown. A checkout may change carriage returns,
 * a zero byte makes a file binary for Git, and a change of direction hides from a reviewer what is really there.
 */
function withVisibleControls(text: string): string {
  return text.replace(CONTROLS, (control) => {
    const code = control.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

function sourcesOf(sources: readonly string[]): string {
  if (sources.length === 0) return "no source";
  return sources.length === 1 ? `${sources[0]}` : `${sources[0]} … ${sources.at(-1)} (${sources.length})`;
}

/** The widest line of a golden file, in characters; longer values are broken. */
const WIDTH = 120;

/**
 * Formats a value as JSON that people can review: whatever fits on one line is kept on one, and lists of short values
 * fill their lines. It is plain JSON, with the keys in their existing order.
 */
export const reviewJson = (value: unknown): string => `${lines(JSON.parse(JSON.stringify(value)), "", 0)}\n`;

function lines(value: unknown, indent: string, used: number): string {
  const flat = inline(value);
  if (typeof value !== "object" || value === null || indent.length + used + flat.length <= WIDTH) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const isShort = value.every((item) => typeof item !== "object" || item === null);
    const items = isShort ? filled(value.map(inline), inner) : value.map((item) => `${inner}${lines(item, inner, 1)}`);
    return `[\n${items.join(isShort ? "\n" : ",\n")}\n${indent}]`;
  }
  const fields = Object.entries(value).map(([key, item]) => {
    const name = `${JSON.stringify(key)}: `;
    return `${inner}${name}${lines(item, inner, name.length + 1)}`;
  });
  return `{\n${fields.join(",\n")}\n${indent}}`;
}

/** A value on one line, with spaces after commas and colons. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inline(item)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

/** Items with commas between them, as many on a line as fit. */
function filled(items: readonly string[], indent: string): readonly string[] {
  const rows: string[] = [];
  items.forEach((item, index) => {
    const text = index === items.length - 1 ? item : `${item},`;
    const row = rows.at(-1);
    if (row !== undefined && row.length + 1 + text.length <= WIDTH) rows[rows.length - 1] = `${row} ${text}`;
    else rows.push(`${indent}${text}`);
  });
  return rows;
}
