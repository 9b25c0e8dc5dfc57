import { type PreparedRequest, visibleText } from "threadfold";

/** The neutral prompt as a page for people: each message with what it is, where it comes from and what it costs. */
export function promptPage(prepared: PreparedRequest): string {
  const { request, manifest, tokens, breakdown, plan } = prepared;
  const head = [
    `# Prompt under plan ${plan.version}`,
    "",
    `${tokens} tokens: ${Object.entries(breakdown)
      .map(([name, share]) => `${name} ${share}`)
      .join(", ")}.`,
    `${plan.externalizations.length} externalized, ${plan.clearings.length} cleared, ${plan.summarizations.length} summaries, ${plan.drops.length} dropped spans.`,
  ];
  const messages = request.messages.map((message, index) => {
    const entry = manifest.messages[index];
    const sources =
      message.sources.length === 0
        ? "no source"
        : `${message.sources[0]}${message.sources.length > 1 ? ` … ${message.sources.at(-1)} (${message.sources.length})` : ""}`;
    return [
      `## ${index}. ${message.role} · ${entry?.action ?? message.synthetic} · ${sources} · ${entry?.tokens} tokens`,
      "",
      visibleText(message),
    ].join("\n");
  });
  return `${[...head, ...request.system.map((text) => `\n## system\n\n${text}`), "", ...messages].join("\n")}\n`;
}
