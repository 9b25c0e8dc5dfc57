import type { LegalityRule } from "../../legality/legality-rule.ts";
import { PAIRING_RULES } from "../../legality/pairing-rules.ts";
import type { GeminiView } from "./gemini-view.ts";
import { callSignatures, thoughtsByModel } from "./rules/call-signatures.ts";
import { hasContents, noEmptyPart } from "./rules/no-empty-part.ts";
import { objectArguments } from "./rules/object-arguments.ts";
import { callsBehindUser, responseCount } from "./rules/response-count.ts";
import { oneSchema, toolNames, toolNamesOnce } from "./rules/tools.ts";
import { endsOnUser, knownRoles, startsOnUser } from "./rules/turn-ends.ts";

/** The legality table of Gemini. A new rule is a file and a line here. */
export const GEMINI_RULES: readonly LegalityRule<GeminiView>[] = [
  ...PAIRING_RULES,
  endsOnUser,
  startsOnUser,
  noEmptyPart,
  responseCount,
  callSignatures,
  objectArguments,
  callsBehindUser,
  thoughtsByModel,
  knownRoles,
  hasContents,
  toolNames,
  toolNamesOnce,
  oneSchema,
];
