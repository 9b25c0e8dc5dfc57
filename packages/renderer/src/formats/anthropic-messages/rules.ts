import { hasContent } from "../../legality/has-content.ts";
import type { LegalityRule } from "../../legality/legality-rule.ts";
import { PAIRING_RULES } from "../../legality/pairing-rules.ts";
import { toolsNamedOnce } from "../../legality/tools-named-once.ts";
import type { AnthropicView } from "./anthropic-view.ts";
import { callIdForm, callIdOnce } from "./rules/call-ids.ts";
import { compactionBlocks } from "./rules/compaction-blocks.ts";
import { failedResults } from "./rules/failed-results.ts";
import { fewBreakpoints } from "./rules/few-breakpoints.ts";
import { knownRoles } from "./rules/known-roles.ts";
import { mediaPlaces } from "./rules/media-places.ts";
import { noBlankText } from "./rules/no-blank-text.ts";
import { objectInput } from "./rules/object-input.ts";
import { resultsBeforeSpeech, resultsFirst } from "./rules/result-before-speech.ts";
import { serverTools } from "./rules/server-tools.ts";
import { thinkingBoundToPrefix } from "./rules/thinking-bound-to-prefix.ts";
import { thinkingIntact } from "./rules/thinking-intact.ts";
import { thinkingToolChoice } from "./rules/thinking-tool-choice.ts";
import { toolNames, toolsDeclared } from "./rules/tools.ts";
import { endsOnUser, startsOnUser } from "./rules/turn-ends.ts";

/** The legality table of Anthropic Messages. A new rule is a file and a line here. */
export const ANTHROPIC_RULES: readonly LegalityRule<AnthropicView>[] = [
  ...PAIRING_RULES,
  serverTools,
  resultsBeforeSpeech,
  endsOnUser,
  startsOnUser,
  noBlankText,
  thinkingIntact,
  thinkingBoundToPrefix,
  thinkingToolChoice,
  fewBreakpoints,
  resultsFirst,
  objectInput,
  knownRoles,
  hasContent,
  callIdForm,
  callIdOnce,
  toolsDeclared,
  toolNames,
  toolsNamedOnce(),
  mediaPlaces,
  failedResults,
  compactionBlocks,
];
