import { BudgetInfeasibleError, PROMPT_CACHE_PRICES, ThreadfoldError } from "@threadfold/core";
import type { CliCall, CliCommand, CliReport } from "../command/cli-command.ts";
import { importWarnings } from "../compact/compact-data.ts";
import { parseCompactRequest, readSource } from "../compact/compact-run.ts";
import { figure, percent, shellWord } from "../output/page.ts";
import { CONFIG_OPTION } from "../parse/config-fields.ts";
import { FOLD_OPTIONS, SOURCE_ARGUMENT, SOURCE_OPTIONS } from "../parse/options.ts";
import { type PlanData, type PlanRequest, type PlanRun, planData, previewSession } from "../plan/plan-data.ts";
import { planPage } from "../plan/plan-page.ts";

/**
 * `plan`: says what `compact` would do to a session, its cost, and what the model would no longer see. It never stores
 * anything.
 */
export const planCommand: CliCommand = {
  arguments: [SOURCE_ARGUMENT],
  options: [
    ...SOURCE_OPTIONS,
    { flags: "--dry-run", description: "only look (what this command does anyway: compact commits)" },
    ...FOLD_OPTIONS,
    CONFIG_OPTION,
    {
      flags: "--prices <row>",
      description: "prompt-cache prices to calculate with (default: those of the format)",
      choices: PROMPT_CACHE_PRICES.map(({ id }) => id),
    },
    { flags: "--force", description: "plan a fold even if none is due" },
  ],
  examples: [
    "plan session.jsonl --dry-run --budget 50000",
    "plan session.jsonl.gz --dry-run --preset codex --json",
    "plan run.json --dry-run --force --prices openai-5.6",
  ],
  async run(call, context) {
    const request = parsePlanRequest(call);
    const imported = await readSource(request, context);
    return reportOf(await previewSession(request, imported, context));
  },
};

function parsePlanRequest(call: CliCall): PlanRequest {
  const { options } = call;
  const prices = options["prices"];
  return {
    ...parseCompactRequest(call),
    dryRun: options["dryRun"] === true,
    force: options["force"] === true,
    prices: typeof prices === "string" ? prices : undefined,
    compactCommand: compactCommand(call),
  };
}

/**
 * Returns the `compact` command with every option of this call that it shares; leaving one out would produce a
 * different plan.
 */
function compactCommand({ arguments: [file = ""], options }: CliCall): string {
  const words = [...SOURCE_OPTIONS, ...FOLD_OPTIONS, CONFIG_OPTION].flatMap(({ flags, fallback }) => {
    const [flag = ""] = flags.split(" ");
    const value = options[flag.slice("--".length).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
    const values = (Array.isArray(value) ? value : [value]).filter(
      (one) => typeof one === "string" && one !== fallback,
    );
    return values.flatMap((one) => [flag, shellWord(String(one))]);
  });
  return ["threadfold compact", shellWord(file), ...words, ...(options["force"] === true ? ["--force"] : [])].join(" ");
}

function reportOf(run: PlanRun): CliReport {
  const data = planData(run);
  const failure = planFailure(run);
  const notes = run.request.dryRun ? [] : ["Nothing was committed: plan only looks. compact commits."];
  const report: CliReport = {
    data,
    text: (page) => planPage(run, data, page),
    brief: brief(data),
    warnings: importWarnings(run.imported),
    notes,
  };
  return failure === undefined ? report : { ...report, failure };
}

/** Returns the error that `compact` would fail with, so that a script learns it without committing. */
function planFailure({ preview: { outcome } }: PlanRun): ThreadfoldError | undefined {
  switch (outcome.type) {
    case "infeasible":
      return new BudgetInfeasibleError(outcome.budget, outcome.indispensable);
    case "refused":
      return new ThreadfoldError("ILLEGAL_REQUEST", "Every plan would break a rule of the provider or hide a pin.", {
        details: { violations: outcome.violations, missingPins: outcome.missingPins },
      });
    default:
      return undefined;
  }
}

function brief({ tokens, outcome }: PlanData): string {
  const { before, after, budget } = tokens;
  return `${figure(before)} → ${figure(after)} tokens (${percent(after, budget)} of ${figure(budget)}), ${outcome}`;
}
