import { hasContent } from "../../legality/has-content.ts";
import type { LegalityRule } from "../../legality/legality-rule.ts";
import { PAIRING_RULES } from "../../legality/pairing-rules.ts";
import { toolsNamedOnce } from "../../legality/tools-named-once.ts";
import type { AiSdkView } from "./ai-sdk-view.ts";
import { callIdForm, callIdOnce } from "./rules/call-ids.ts";
import { knownRoles } from "./rules/known-roles.ts";
import { noBlankText } from "./rules/no-blank-text.ts";
import { objectInput } from "./rules/object-input.ts";
import { partPlaces } from "./rules/part-places.ts";
import { reasoningBoundToPrefix, reasoningIntact } from "./rules/reasoning.ts";
import { toolNames } from "./rules/tool-names.ts";
import { endsOnUser, startsOnUser } from "./rules/turn-ends.ts";

/** The legality table of AI SDK prompts. A new rule is a file and a line here. */
export const AI_SDK_RULES: readonly LegalityRule<AiSdkView>[] = [
  ...PAIRING_RULES,
  endsOnUser,
  startsOnUser,
  noBlankText,
  reasoningIntact,
  reasoningBoundToPrefix,
  objectInput,
  knownRoles,
  hasContent,
  callIdForm,
  callIdOnce,
  toolNames,
  toolsNamedOnce(),
  partPlaces,
];
