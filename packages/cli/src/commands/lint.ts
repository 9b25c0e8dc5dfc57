import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { type LegalityViolation, parseJson, ThreadfoldError } from "@threadfold/core";
import { FORMAT_NAMES, formatById, type ProviderFormat, remedyFor } from "@threadfold/renderer";
import type { CliCommand, CliReport } from "../command/cli-command.ts";
import type { CliIo } from "../output/cli-io.ts";
import { fileProblem } from "../output/output-folder.ts";
import { count, type Page, singleLine } from "../output/page.ts";
import { STANDARD_INPUT } from "../parse/options.ts";

const WIDEST_PROBLEM = 300;

/** `lint`: checks any tool's request against the rules of a provider's format. */
export const lintCommand: CliCommand = {
  arguments: [{ name: "request", description: "file with the body of one request, as JSON; - for standard input" }],
  options: [
    {
      flags: "--format <format>",
      description: "request format whose rules are checked",
      choices: FORMAT_NAMES,
    },
  ],
  examples: ["lint request.json --format anthropic", "lint request.json --format openai-chat --json"],
  async run({ arguments: [path = ""], options }, { io }) {
    const format = options["format"];
    if (typeof format !== "string")
      throw new ThreadfoldError("USAGE", "No format was named.", {
        hint: `Name the request's format: --format ${FORMAT_NAMES.join(", ")}.`,
      });
    return reportOf(path, await readRequest(path, io), formatById(format));
  },
};

function reportOf(path: string, payload: unknown, format: ProviderFormat): CliReport {
  const findings = format.check(payload).map((violation) => lintFinding(violation, format));
  const report = {
    data: { path, format: format.id, rules: format.rules.rules.length, findings },
    text: (page: Page) => lintPage(findings, format, page),
    brief: findings.map(({ rule, at }) => `${rule} ${at}`).join("\n"),
  };
  const [first] = findings;
  if (first === undefined) return report;
  const more = findings.length === 1 ? "" : ` and ${count(findings.length - 1, "other place")}`;
  const message = `The request breaks ${first.rule} at ${first.at}${more}: ${singleLine(first.problem, WIDEST_PROBLEM)}.`;
  const hint = `${capitalized(first.remedy)}.`;
  return { ...report, failure: new ThreadfoldError("ILLEGAL_REQUEST", message, { hint, details: { findings } }) };
}

function lintPage(findings: readonly LintFinding[], { id, rules }: ProviderFormat, { paint }: Page): string {
  if (findings.length === 0)
    return `${paint("green", "legal:")} all ${count(rules.rules.length, "rule")} of ${id} hold.`;
  return findings
    .map(({ rule, message, at, problem, remedy }) => {
      const place =
        message === null ? singleLine(at, WIDEST_PROBLEM) : `message ${message} (${singleLine(at, WIDEST_PROBLEM)})`;
      const told = singleLine(problem, WIDEST_PROBLEM);
      return `${paint("red", rule)}  ${place}: ${told}\n    ${paint("dim", "fix:")} ${remedy}`;
    })
    .join("\n");
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, "");

/** A violated rule as `lint` reports it. */
interface LintFinding {
  readonly rule: string;
  /** Index of the message; null when the violation concerns the request as a whole. */
  readonly message: number | null;
  /** Position in the request, as a JSON path. */
  readonly at: string;
  readonly problem: string;
  /** The provider's requirement, as one sentence. */
  readonly asks: string;
  /** How to fix it. */
  readonly remedy: string;
}

/** Adds the rule's requirement and the fix to a violation. */
function lintFinding({ rule, at, problem }: LegalityViolation, { rules }: ProviderFormat): LintFinding {
  const asks = rules.rules.find(({ id }) => id === rule)?.description ?? "";
  return { rule, message: messageIndex(at), at, problem, asks, remedy: remedyFor(rule) ?? asks };
}

/** Returns the index of the message in a path. Every format uses one of these names for its list of messages. */
function messageIndex(at: string): number | null {
  const index = /^\$\.(?:messages|input|contents)\[(\d+)\]/.exec(at)?.[1];
  return index === undefined ? null : Number(index);
}

type RequestIo = Pick<CliIo, "stdin" | "signal">;

const WHAT_TO_GIVE = "Pass the body of one request, as it is sent to the provider.";

/**
 * Reads a request from a JSON file, or from standard input.
 *
 * @throws ThreadfoldError `UNREADABLE_SOURCE` when the file cannot be read, `EMPTY_SOURCE` when it is empty,
 *   `INVALID_JSON` when it is not JSON, `ABORTED`.
 */
async function readRequest(path: string, io: RequestIo): Promise<unknown> {
  const content = await textOf(path, io);
  if (content.trim() === "")
    throw new ThreadfoldError("EMPTY_SOURCE", `The file ${path} is empty.`, { hint: WHAT_TO_GIVE, details: { path } });
  try {
    return parseJson(content);
  } catch (cause) {
    throw new ThreadfoldError("INVALID_JSON", `The file ${path} is not JSON: ${(cause as Error).message}.`, {
      hint: WHAT_TO_GIVE,
      details: { path },
      cause,
    });
  }
}

async function textOf(path: string, { stdin, signal }: RequestIo): Promise<string> {
  try {
    if (path === STANDARD_INPUT) return await text(stdin());
    return await readFile(path, { encoding: "utf8", signal });
  } catch (cause) {
    if (signal.aborted)
      throw new ThreadfoldError("ABORTED", "The check was aborted while it read the file.", { cause });
    throw new ThreadfoldError("UNREADABLE_SOURCE", `The file ${path} cannot be read: ${fileProblem(cause)}.`, {
      details: { path },
      cause,
    });
  }
}
