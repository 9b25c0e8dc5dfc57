// Runs the scripted agent in every host and prints what came of it. Options: --calls N, --host ID (more than once), and
// --summarizer-fails to have every summary fail.
import { parseArgs } from "node:util";
import { HOSTS } from "./hosts/hosts.ts";
import { type AgentReport, brokenPromises, reportTable, runAgent } from "./run/run-agent.ts";
import { failingSummarizer } from "./script/scripted-agent.ts";

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "1000" },
    host: { type: "string", multiple: true },
    "summarizer-fails": { type: "boolean", default: false },
  },
});
const modelCalls = Number(values.calls);
const hosts = HOSTS.filter(({ id }) => values.host?.includes(id) ?? true);
if (!Number.isSafeInteger(modelCalls) || modelCalls < 1 || hosts.length < (values.host?.length ?? 1)) {
  process.stderr.write(`--calls takes a whole number, --host one of ${HOSTS.map(({ id }) => id).join(", ")}.\n`);
  process.exit(2);
}
const reports: AgentReport[] = [];
for (const host of hosts) {
  const report = await runAgent(host, {
    modelCalls,
    ...(values["summarizer-fails"] && { summarizer: failingSummarizer() }),
  });
  process.stderr.write(`${host.id}: ${report.seconds.toFixed(1)} s\n`);
  reports.push(report);
}
process.stdout.write(`${reportTable(reports)}\n`);
const broken = reports.flatMap((report) =>
  brokenPromises(report, modelCalls).map((promise) => `${report.host}: ${promise}`),
);
for (const line of broken) process.stdout.write(`${line}\n`);
process.exitCode = broken.length === 0 ? 0 : 1;
