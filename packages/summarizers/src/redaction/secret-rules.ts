import { MORE_SECRET_RULES } from "./more-secret-rules.ts";
import type { SecretRule } from "./secret-rule.ts";
import { loadSecretlintRules } from "./secretlint-rules.ts";

let loaded: Promise<readonly SecretRule[]> | undefined;

/** Every rule that we know. Secretlint's are loaded when they are first asked for: who never folds does not pay for them. */
export function secretRules(): Promise<readonly SecretRule[]> {
  loaded ??= loadSecretlintRules().then((rules) => [...MORE_SECRET_RULES, ...rules]);
  return loaded;
}
