import type { rules as secretlintRules } from "@secretlint/secretlint-rule-preset-recommend";
import { findMoreSecrets } from "./find-more-secrets.ts";
import type { FoundSecret } from "./found-secret.ts";

type Rule = (typeof secretlintRules)[number];
type RuleContext = Parameters<Rule["create"]>[0];
type RuleSource = Parameters<NonNullable<ReturnType<Rule["create"]>["file"]>>[0];

/** Obeys comments in the text that switch rules off. In our texts these would be an attacker's. */
const COMMENT_RULE = "@secretlint/secretlint-rule-filter-comments";
/** Access key ids are half of a secret and worth the odd false find. */
const AWS_RULE = "@secretlint/secretlint-rule-aws";

/**
 * What stands in a text as it is: what secretlint's recommended rules find, and some kinds more. The rules are run without
 * secretlint's engine: that one marks every rule of every run on the process's performance timeline and keeps the marks.
 */
export async function findPlainSecrets(text: string): Promise<readonly FoundSecret[]> {
  const found: FoundSecret[] = [...findMoreSecrets(text)];
  const source = sourceOf(text);
  // Loaded when something is looked at: who never folds does not pay for it.
  const { rules } = await import("@secretlint/secretlint-rule-preset-recommend");
  for (const rule of rules) {
    if (rule.meta.id === COMMENT_RULE) continue;
    const context = contextOf((secret) => void found.push(secret));
    const options = rule.meta.id === AWS_RULE ? { enableIDScanRule: true } : {};
    await rule.create(context, options as Parameters<Rule["create"]>[1]).file?.(source);
  }
  return found;
}

function contextOf(take: (secret: FoundSecret) => void): RuleContext {
  const context = {
    sharedOptions: {},
    createTranslator: () => (messageId: string) => ({ message: "", messageId }),
    report: ({ range, message }: Parameters<RuleContext["report"]>[0]) =>
      take({ start: range[0], end: range[1], messageId: message.messageId }),
    ignore: () => undefined,
  };
  return context as unknown as RuleContext;
}

function sourceOf(text: string): RuleSource {
  const source = {
    hasBOM: false,
    content: text,
    filePath: "text.txt",
    ext: ".txt",
    contentType: "text",
    getFilePath: () => "text.txt",
    getPhysicalFilePath: () => undefined,
  };
  return source as unknown as RuleSource;
}
