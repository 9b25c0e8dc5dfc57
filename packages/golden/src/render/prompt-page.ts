import { systemText, toSystemText, visibleText } from "@threadfold/core";
import { describeWarning } from "@threadfold/renderer";
import type { PreparedRequest } from "@threadfold/session";

/** The neutral prompt as a page for people: each message with what it is, where it comes from and what it costs. */
export function promptPage(prepared: PreparedRequest): string {
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
  return `${[...head, ...system, ...tools, "", ...messages].join("\n")}`;
}

function sourcesOf(sources: readonly string[]): string {
  if (sources.length === 0) return "no source";
  return sources.length === 1 ? `${sources[0]}` : `${sources[0]} … ${sources.at(-1)} (${sources.length})`;
}
