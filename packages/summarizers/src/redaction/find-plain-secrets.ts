import { EventLoopTurns } from "@threadfold/core";
import { AnchorSearch } from "./anchor-search.ts";
import type { FoundSecret } from "./found-secret.ts";
import type { SecretRule } from "./secret-rule.ts";
import { secretRules } from "./secret-rules.ts";

/**
 * How much of a text is looked at in one go, and how much on both sides is looked at with it, in UTF-16 code units: longer
 * than any secret that a rule knows, so that each is seen as a whole where it begins.
 */
const WINDOW = 131_072;
const MARGIN = 32_768;

let search: AnchorSearch<SecretRule> | undefined;

/**
 * What stands in a text as it is. Of the rules with anchors only those look whose anchors stand in the text. The event loop
 * turns between pieces of a long text, so that none holds it up for long; what lies where two of them meet may be found by
 * both.
 */
export async function findPlainSecrets(text: string): Promise<readonly FoundSecret[]> {
  const rules = await secretRules();
  search ??= new AnchorSearch(new Map(rules.map((rule) => [rule, rule.anchors ?? []])));
  if (text.length <= WINDOW + MARGIN) return foundIn(text, rules, search);
  const found: FoundSecret[] = [];
  const turns = new EventLoopTurns();
  for (let from = 0; from < text.length; from += WINDOW) {
    const [start, until] = [Math.max(0, from - MARGIN), from + WINDOW];
    for (const secret of await foundIn(text.slice(start, until + MARGIN), rules, search, () => turns.take())) {
      const [begin, end] = [start + secret.start, start + secret.end];
      if (end > from && begin < until) found.push({ ...secret, start: begin, end });
    }
  }
  return found;
}

async function foundIn(
  text: string,
  rules: readonly SecretRule[],
  anchors: AnchorSearch<SecretRule>,
  turn?: () => Promise<void>,
): Promise<readonly FoundSecret[]> {
  const found: FoundSecret[] = [];
  await turn?.();
  const likely = anchors.kindsIn(text);
  for (const rule of rules) {
    if (rule.anchors !== undefined && !likely.has(rule)) continue;
    await turn?.();
    for (const secret of await rule.find(text)) found.push(secret);
  }
  return found;
}
