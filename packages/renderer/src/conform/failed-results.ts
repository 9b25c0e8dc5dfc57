import type { MediaPart, Part, ToolResultPart } from "@threadfold/core";
import { acceptedToolName, type FormatRequirements } from "../capabilities/format-requirements.ts";
import { derivation } from "../input/derivation.ts";
import { type Draft, withParts } from "../neutral/draft.ts";
import { mediaMarker, toolOutcome } from "../neutral/result-lines.ts";
import { type Repair, withDrafts } from "./conformance.ts";

/** Changes nothing: reports which failures the format cannot mark. */
export const noteUnmarkedFailures: Repair = {
  name: "note-unmarked-failures",
  apply(request, { requirements, warnings }) {
    if (requirements.marksFailures) return request;
    for (const { chat } of request.drafts) {
      const part = chat.role === "tool" ? chat.parts[0] : undefined;
      const failed = part?.type === "tool-result" && part.result.outcome === "failure";
      if (failed && chat.synthetic === undefined) warnings.add("outcome-not-expressed", chat.sources);
    }
    return request;
  },
};

/**
 * Takes images and documents out of failed results if these may contain only text, and shows them in a user message
 * after the results of the batch: the model still sees the failure and everything that came with it.
 */
export const leaveMediaBehindFailures: Repair = {
  name: "leave-media-behind-failures",
  apply(request, { requirements: { textInFailures, toolNames }, warnings }) {
    if (textInFailures !== true || !request.drafts.some((draft) => mediaOf(draft).length > 0)) return request;
    const drafts: Draft[] = [];
    let failed: Draft[] = [];
    for (const draft of request.drafts) {
      const before = drafts.at(-1);
      if (draft.chat.role !== "tool" && before !== undefined && failed.length > 0) {
        drafts.push(shown(failed, before, toolNames));
        failed = [];
      }
      if (mediaOf(draft).length === 0) drafts.push(draft);
      else {
        warnings.add("media-moved", draft.chat.sources);
        failed.push(draft);
        drafts.push(withParts(draft, [withMarkers(draft.chat.parts[0] as ToolResultPart, null)]));
      }
    }
    const last = drafts.at(-1);
    return withDrafts(
      request,
      last === undefined || failed.length === 0 ? drafts : [...drafts, shown(failed, last, toolNames)],
    );
  },
};

const NONE: readonly MediaPart[] = [];

/** Returns the images and documents of a failed result. */
function mediaOf({ chat }: Draft): readonly MediaPart[] {
  const part = chat.role === "tool" ? chat.parts[0] : undefined;
  if (part?.type !== "tool-result" || part.result.outcome !== "failure") return NONE;
  const { content } = part.result;
  return content.type === "blocks" ? content.blocks.filter((block) => block.type !== "text") : NONE;
}

const withMarkers = derivation((part: ToolResultPart, _key: null): ToolResultPart => {
  const { content } = part.result;
  if (content.type !== "blocks") return part;
  const blocks = content.blocks.map((block) =>
    block.type === "text" ? block : mediaMarker(block, "below the results"),
  );
  return { ...part, result: { ...part.result, content: { type: "blocks", blocks } } };
});

/**
 * Returns the message that shows the media of failed results, with the names that their tools are sent with. It takes
 * the ordinal of the last result of the batch.
 */
function shown(failed: readonly Draft[], { ordinal }: Draft, names: FormatRequirements["toolNames"]): Draft {
  const parts = failed.flatMap((draft): readonly Part[] => {
    const { result } = draft.chat.parts[0] as ToolResultPart;
    const named = { ...result, toolName: acceptedToolName(result.toolName, names) };
    return [{ type: "text", text: `[Media of ${toolOutcome(named)}]` }, ...mediaOf(draft)];
  });
  const sources = failed.flatMap(({ chat }) => chat.sources);
  const chat = { role: "user", parts, sources, synthetic: "placeholder" } as const;
  return { chat, action: "moved-media", share: "kept", record: null, message: null, ordinal };
}
