import type { rules as presetRules } from "@secretlint/secretlint-rule-preset-recommend";
import type { FoundSecret } from "./found-secret.ts";
import type { SecretRule } from "./secret-rule.ts";
import { SECRETLINT_ANCHORS } from "./secretlint-anchors.ts";

type Rule = (typeof presetRules)[number];
type RuleContext = Parameters<Rule["create"]>[0];
type RuleSource = Parameters<NonNullable<ReturnType<Rule["create"]>["file"]>>[0];

const ID_START = "@secretlint/secretlint-rule-";
/** Obeys comments in the text that switch rules off. In our texts these would be an attacker's. */
const COMMENT_RULE = "filter-comments";
/** Access key ids are half of a secret and worth the odd false find. */
const AWS_RULE = "aws";

/**
 * Secretlint's recommended rules. They are run without its engine: that one marks every rule of every run on the process's
 * performance timeline and keeps the marks.
 */
export async function loadSecretlintRules(): Promise<readonly SecretRule[]> {
  const { rules } = await import("@secretlint/secretlint-rule-preset-recommend");
  return rules
    .map((rule) => ({ rule, name: rule.meta.id.replace(ID_START, "") }))
    .filter(({ name }) => name !== COMMENT_RULE)
    .map(({ rule, name }) => {
      const anchors = Object.hasOwn(SECRETLINT_ANCHORS, name) ? SECRETLINT_ANCHORS[name] : undefined;
      const options = name === AWS_RULE ? { enableIDScanRule: true } : {};
      return {
        ...(anchors !== undefined && { anchors }),
        find: (text) => run(rule, options as Parameters<Rule["create"]>[1], text),
      };
    });
}

async function run(rule: Rule, options: Parameters<Rule["create"]>[1], text: string): Promise<readonly FoundSecret[]> {
  const found: FoundSecret[] = [];
  await rule.create(contextOf(found), options).file?.(sourceOf(text));
  return found;
}

function contextOf(found: FoundSecret[]): RuleContext {
  const context = {
    sharedOptions: {},
    createTranslator: () => (messageId: string) => ({ message: "", messageId }),
    report: ({ range, message }: Parameters<RuleContext["report"]>[0]) =>
      found.push({ start: range[0], end: range[1], messageId: message.messageId }),
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
