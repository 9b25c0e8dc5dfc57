// Runs the scripted agent in every host, with thinking on, once for each model of the host's provider, and prints what
// came of it. Options: --calls N, --window TOKENS, --host ID and --model NAME (each more than once), --json for a line of
// { host, model, calls, refusals, reasoningKept } a run, --summarizer-fails to have every summary fail, and --store PATH to
// keep the threads there: `threadfold inspect PATH` shows one while it runs.
import { parseArgs } from "node:util";
import { HOSTS } from "./hosts/hosts.ts";
import { type AgentReport, brokenPromises, reportLine, reportTable, runAgent } from "./run/run-agent.ts";
import { failingSummarizer } from "./script/scripted-agent.ts";

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "1000" },
    window: { type: "string", default: "48000" },
    host: { type: "string", multiple: true },
    model: { type: "string", multiple: true },
    json: { type: "boolean", default: false },
    "summarizer-fails": { type: "boolean", default: false },
    store: { type: "string" },
  },
});
const modelCalls = Number(values.calls);
const maxInputTokens = Number(values.window);
const hosts = HOSTS.filter(({ id }) => values.host?.includes(id) ?? true);
if (!isCount(modelCalls) || !isCount(maxInputTokens) || hosts.length < (values.host?.length ?? 1)) {
  process.stderr.write(
    `--calls and --window take a whole number, --host one of ${HOSTS.map(({ id }) => id).join(", ")}.\n`,
  );
  process.exit(2);
}
const reports: AgentReport[] = [];
const runs = hosts.flatMap((host) => host.protocol.models.map((model) => ({ host, model })));
for (const { host, model } of runs.filter((run) => values.model?.includes(run.model) ?? true)) {
  const report = await runAgent(host, {
    modelCalls,
    model,
    maxInputTokens,
    ...(values.store !== undefined && { store: values.store }),
    ...(values["summarizer-fails"] && { summarizer: failingSummarizer() }),
  });
  process.stderr.write(`${host.id} on ${model}: ${report.seconds.toFixed(1)} s\n`);
  reports.push(report);
}
if (values.json) for (const report of reports) process.stdout.write(`${JSON.stringify(reportLine(report))}\n`);
else process.stdout.write(`${reportTable(reports)}\n`);
const broken = reports.flatMap((report) =>
  brokenPromises(report, modelCalls).map((promise) => `${report.host} on ${report.model}: ${promise}`),
);
for (const line of broken) process.stderr.write(`${line}\n`);
process.exitCode = broken.length === 0 ? 0 : 1;

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}
