// Runs the scripted agent in every host and prints the results; `--help` explains the options.
import { ThreadfoldError } from "threadfold";
import { HOSTS } from "./hosts/hosts.ts";
import { type AgentOptions, agentsHelp, parseAgentOptions } from "./run/agent-options.ts";
import { type AgentReport, brokenPromises, reportLine, reportTable, runAgent } from "./run/run-agent.ts";
import { failingSummarizer } from "./script/scripted-agent.ts";

try {
  const options = parseAgentOptions(process.argv.slice(2), HOSTS);
  if (options === null) process.stdout.write(`${agentsHelp(HOSTS)}\n`);
  else await runAll(options);
} catch (error) {
  if (!ThreadfoldError.isInstance(error) || error.code !== "USAGE") throw error;
  process.stderr.write(`${error.message}\n${error.hint}\n`);
  process.exitCode = 2;
}

async function runAll({ modelCalls, maxInputTokens, runs, json, summarizerFails, store }: AgentOptions): Promise<void> {
  const reports: AgentReport[] = [];
  for (const { host, model } of runs) {
    const report = await runAgent(host, {
      ...{ modelCalls, model, maxInputTokens },
      ...(store !== undefined && { store }),
      ...(summarizerFails && { summarizer: failingSummarizer() }),
    });
    process.stderr.write(`${host.id} on ${model}: ${report.seconds.toFixed(1)} s\n`);
    reports.push(report);
  }
  if (json) for (const report of reports) process.stdout.write(`${JSON.stringify(reportLine(report))}\n`);
  else process.stdout.write(`${reportTable(reports)}\n`);
  const broken = reports.flatMap((report) =>
    brokenPromises(report, modelCalls).map((promise) => `${report.host} on ${report.model}: ${promise}`),
  );
  for (const line of broken) process.stderr.write(`${line}\n`);
  process.exitCode = broken.length === 0 ? 0 : 1;
}
