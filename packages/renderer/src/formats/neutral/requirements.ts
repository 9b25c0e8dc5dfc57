import { ANY_MEDIA, type FormatRequirements } from "../../conform/format-requirements.ts";

/** What any provider asks: pairs that are whole, no blank text, a last turn to answer. Nothing else is changed. */
export const NEUTRAL_REQUIREMENTS = Object.freeze<FormatRequirements>({
  opening: "anyone",
  systemInside: "native",
  reasoning: { replay: "always" },
  opaqueFrom: ["*"],
  opaqueFields: [],
  image: ANY_MEDIA,
  file: ANY_MEDIA,
  mediaRoles: ["user", "assistant"],
  mediaInResults: true,
  toolInput: "any",
  marksFailures: true,
  callIds: { refused: null, maxLength: null, uniqueIn: "batch" },
  toolNames: { refused: null, maxLength: null },
  fields: { texts: { "*": "all" }, messages: { "*": "all" } },
  declaresTools: false,
});
