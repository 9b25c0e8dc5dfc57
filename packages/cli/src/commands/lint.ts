import { ThreadfoldError } from "@threadfold/core";
import { FORMAT_NAMES, formatById, type ProviderFormat } from "@threadfold/renderer";
import type { CliCommand, CliReport } from "../cli-command.ts";
import { type LintFinding, lintFinding } from "../lint/lint-finding.ts";
import { readRequest } from "../lint/read-request.ts";
import { count } from "../output/figures.ts";
import type { Page } from "../output/page.ts";
import { singleLine } from "../output/plain-text.ts";

const WIDEST_PROBLEM = 300;

/** `lint`: checks a request that any tool made against the rules of a provider's format. */
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
      return `${paint("red", rule)}  ${place}: ${told}\n    ${paint("dim", "do:")} ${remedy}`;
    })
    .join("\n");
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, "");
