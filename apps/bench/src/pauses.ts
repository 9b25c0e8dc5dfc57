import {
  AUTO_BILL,
  offerOf,
  presetPolicy,
  type RecordedSession,
  scriptedSummarizer,
  simulate,
  withPauses,
} from "@threadfold/simulation";
import { anyOf, LAST_RESORT, maxOutputTrigger, threadfoldPreset, tokenFractionTrigger } from "@threadfold/strategies";
import { benchMachine } from "./bench-machine.ts";
import { keepResults } from "./bench-results.ts";
import type { PausesResults } from "./docs-page.ts";
import { loadSession, sessionFiles } from "./peers-sessions.ts";

/**
 * Measures the cost of the default preset's prompts by Anthropic's rules on the recorded sessions with a pause of more
 * than five minutes: with `cachePolicy: "auto"` and folds on a cold return, and without both, with every prefix kept
 * for five minutes. The figures are input tokens paid for, as `threadfold simulate` counts them, at the recorded
 * pauses. Next to them is the cost of the pauses themselves: the amount by which the bill of the same calls without
 * pauses is below the one without both. `--json` prints one line per budget; numbers choose the budgets.
 */
const BUDGETS = [20_000, 50_000, 100_000];
const PAUSE_MS = 300_000;

const json = process.argv.includes("--json");
const chosen = process.argv.map(Number).filter((budget) => budget > 0);
const budgets = chosen.length > 0 ? chosen : BUDGETS;
const summarizer = scriptedSummarizer("extractive");
const warm = {
  ...threadfoldPreset,
  trigger: (config: Parameters<typeof threadfoldPreset.trigger>[0]) =>
    anyOf(tokenFractionTrigger(config.softThresholdPercent), maxOutputTrigger(), ...LAST_RESORT),
};

const sessions: RecordedSession[] = [];
for (const file of sessionFiles()) {
  const session = await loadSession(file);
  if (session !== null && hasPause(session)) sessions.push(session);
}
const withoutBoth = offerOf(presetPolicy(warm, { summarizer, id: "without" }));
const { policies } = await simulate({
  ...{ sessions, budgets, summarizer },
  policies: [offerOf(presetPolicy(threadfoldPreset, { summarizer, id: "with" })), withoutBoth],
});
const unpaused = await simulate({
  ...{ sessions: sessions.map((session) => withPauses(session, "none")), budgets, summarizer },
  policies: [withoutBoth],
});
const rows = budgets.flatMap((budget) => {
  const billOf = (policy: string, row: string, of = policies) =>
    of.find((one) => one.policy === policy && one.budget === budget)?.providerBills[row]?.tokens;
  const withBoth = billOf("with", AUTO_BILL);
  const without = billOf("without", "anthropic");
  const noPause = billOf("without", "anthropic", unpaused.policies);
  if (withBoth === undefined || without === undefined || without === 0 || noPause === undefined) return [];
  const count = policies.find((one) => one.budget === budget)?.sessions ?? 0;
  return [{ budget, sessions: count, without, withBoth, below: 1 - withBoth / without, pauses: 1 - noPause / without }];
});
keepResults("pauses", { machine: benchMachine(), rows } satisfies PausesResults);
for (const row of rows)
  process.stdout.write(
    json
      ? `${JSON.stringify(row)}\n`
      : `${row.budget} tokens, ${row.sessions} sessions: ${row.without} without both, ${row.withBoth} with both, ${(100 * row.below).toFixed(1)} % saved; the pauses cost ${(100 * row.pauses).toFixed(1)} %\n`,
  );
if (rows.length === 0) process.stderr.write("There is no recorded session with pauses (THREADFOLD_DATA).\n");

function hasPause({ calls }: RecordedSession): boolean {
  return calls.some(({ at }, index) => index > 0 && at - (calls[index - 1]?.at ?? at) > PAUSE_MS);
}
