import { AnchorSearch } from "./anchor-search.ts";
import type { FoundSecret } from "./found-secret.ts";
import type { SecretRule } from "./secret-rule.ts";
import { secretRules } from "./secret-rules.ts";

let search: AnchorSearch<SecretRule> | undefined;

/** What stands in a text as it is. Of the rules with anchors only those look whose anchors stand in the text. */
export async function findPlainSecrets(text: string): Promise<readonly FoundSecret[]> {
  const rules = await secretRules();
  search ??= new AnchorSearch(new Map(rules.map((rule) => [rule, rule.anchors ?? []])));
  const likely = search.kindsIn(text);
  const found: FoundSecret[] = [];
  for (const rule of rules) {
    if (rule.anchors !== undefined && !likely.has(rule)) continue;
    for (const secret of await rule.find(text)) found.push(secret);
  }
  return found;
}
