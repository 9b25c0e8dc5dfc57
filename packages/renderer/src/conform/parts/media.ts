import type { MediaPart, MediaSource, TextPart, ToolResultPart } from "@threadfold/core";
import type { FormatRequirements, MediaRequirement } from "../../capabilities/format-requirements.ts";
import { derivation } from "../../input/derivation.ts";
import { isBlank } from "../../neutral/draft.ts";
import { mediaMarker } from "../../neutral/result-lines.ts";
import type { LeftOutReason } from "../../warnings/render-warning.ts";
import type { PartRepair } from "../conformance.ts";

type MediaReason = LeftOutReason["media-replaced"];

/** Returns why an image or document cannot be sent unchanged; undefined when it can. */
function reasonAgainstMedia({ source }: MediaPart, requirement: MediaRequirement): MediaReason | undefined {
  if (isEmpty(source)) return "empty";
  switch (source.kind) {
    case "base64":
      return accepts(requirement.base64, source.mediaType) ? undefined : "media-type";
    case "url":
      if (requirement.typedUrls === true && source.mediaType === undefined) return "media-type";
      return accepts(requirement.urls, source.url.slice(0, source.url.indexOf(":")).toLowerCase())
        ? undefined
        : "source";
    case "file-id":
      return requirement.fileIds ? undefined : "source";
  }
}

/** Matches a URL with nothing in it; in a data URL, that is behind the comma. */
const EMPTY_URL = /^(?:\s*|data:[^,]*(?:,\s*)?)$/i;

/** No provider accepts an image or document without any content (W11). */
function isEmpty(source: MediaSource): boolean {
  if (source.kind === "url") return EMPTY_URL.test(source.url);
  return isBlank(source.kind === "base64" ? source.data : source.fileId);
}

const accepts = (list: readonly string[], item: string): boolean => list.includes(item) || list.includes("*");

/** The text that replaces an image or document that cannot be sent. */
const leftOutMarker = derivation((part: MediaPart, _key: null): TextPart => mediaMarker(part, "left out"));

/** Replaces images and documents that the format does not accept with a text marker. */
export const replaceMedia: PartRepair<MediaPart> = {
  name: "replace-media",
  apply(part, { draft: { chat } }, { requirements, warnings }) {
    const roles: readonly string[] = requirements.mediaRoles;
    const reason = roles.includes(chat.role) ? reasonAgainstMedia(part, requirements[part.type]) : "role";
    if (reason === undefined) return part;
    warnings.leaveOut("media-replaced", reason, chat.sources);
    return leftOutMarker(part, null);
  },
};

/** Replaces images and documents in a result that the format does not accept; the result keeps its id and outcome. */
export const replaceMediaInResult: PartRepair<ToolResultPart> = {
  name: "replace-media-in-result",
  apply(part, { draft }, { requirements, warnings }) {
    const { content } = part.result;
    if (content.type !== "blocks") return part;
    const reasons = content.blocks.flatMap((block) => reasonAgainst(block, requirements) ?? []);
    for (const reason of reasons) warnings.leaveOut("media-replaced", reason, draft.chat.sources);
    return reasons.length === 0 ? part : withMarkers(part, requirements);
  },
};

function reasonAgainst(block: TextPart | MediaPart, requirements: FormatRequirements): MediaReason | undefined {
  if (block.type === "text") return undefined;
  return requirements.mediaInResults === true ? reasonAgainstMedia(block, requirements[block.type]) : "in-tool-result";
}

const withMarkers = derivation((part: ToolResultPart, requirements: FormatRequirements): ToolResultPart => {
  const { content } = part.result;
  if (content.type !== "blocks") return part;
  const blocks = content.blocks.map((block) =>
    block.type === "text" || reasonAgainst(block, requirements) === undefined ? block : leftOutMarker(block, null),
  );
  return { ...part, result: { ...part.result, content: { type: "blocks", blocks } } };
});
