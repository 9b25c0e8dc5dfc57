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
      if (source.data.length > (requirement.maxBase64 ?? Number.POSITIVE_INFINITY)) return "too-large";
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

/** How the beginning of base64 shows what the bytes are: PNG, JPEG, GIF, WebP, PDF. */
const BEGINNINGS: Readonly<Record<MediaPart["type"], readonly (readonly [RegExp, string])[]>> = {
  image: [
    [/^iVBORw0KGgo/, "image/png"],
    [/^\/9j\//, "image/jpeg"],
    [/^R0lGOD/, "image/gif"],
    [/^UklGR.{7}RUJQ/, "image/webp"],
  ],
  file: [[/^JVBERi0/, "application/pdf"]],
};

/**
 * Returns an image or document as providers want it described: they compare the media type with the bytes, know only
 * its plain form, and take a data URL nowhere but as a URL. Data in one is bytes like any other.
 */
const described = derivation((part: MediaPart, _key: null): MediaPart => {
  const source = bytesIn(part.source);
  if (source.kind === "file-id" || source.mediaType === undefined) return part;
  const data = source.kind === "base64" ? source.data : "";
  const [, seen] = BEGINNINGS[part.type].find(([beginning]) => beginning.test(data)) ?? [];
  const mediaType = seen ?? plainType(source.mediaType);
  return source === part.source && mediaType === source.mediaType
    ? part
    : { ...part, source: { ...source, mediaType } };
});

/** Matches a data URL in base64, up to its data. */
const DATA_URL = /^data:([^,;]{0,100})(?:;[^,;]{0,100}){0,9};base64,/i;

function bytesIn(source: MediaSource): MediaSource {
  if (source.kind === "file-id") return source;
  const given = source.kind === "url" ? source.url : source.data;
  const [beginning, named] = DATA_URL.exec(given) ?? [];
  const mediaType = named || source.mediaType;
  if (beginning === undefined || mediaType === undefined) return source;
  return { kind: "base64", mediaType, data: given.slice(beginning.length) };
}

/** Text in another character set is not what the plain type says. */
const OTHER_TEXT = /;\s*charset\s*=\s*(?!"?(?:utf-?8|us-ascii))/i;

function plainType(mediaType: string): string {
  if (OTHER_TEXT.test(mediaType)) return mediaType;
  const plain = mediaType.replace(/;.*$/s, "").trim().toLowerCase();
  return plain === "image/jpg" || plain === "image/pjpeg" ? "image/jpeg" : plain;
}

/** Describes images and documents rightly, and replaces those that the format does not accept with a text marker. */
export const replaceMedia: PartRepair<MediaPart> = {
  name: "replace-media",
  apply(given, { draft: { chat } }, { requirements, warnings }) {
    const part = described(given, null);
    const roles: readonly string[] = requirements.mediaRoles;
    const reason = roles.includes(chat.role) ? reasonAgainstMedia(part, requirements[part.type]) : "role";
    if (reason === undefined) return part;
    warnings.leaveOut("media-replaced", reason, chat.sources);
    return leftOutMarker(part, null);
  },
};

/** Does the same for images and documents in a result, which keeps its id and outcome. */
export const replaceMediaInResult: PartRepair<ToolResultPart> = {
  name: "replace-media-in-result",
  apply(part, { draft }, { requirements, warnings }) {
    const { content } = part.result;
    if (content.type !== "blocks") return part;
    const reasons = content.blocks.flatMap((block) => reasonAgainst(block, requirements) ?? []);
    for (const reason of reasons) warnings.leaveOut("media-replaced", reason, draft.chat.sources);
    const isAsGiven = content.blocks.every((block) => block.type === "text" || described(block, null) === block);
    return reasons.length === 0 && isAsGiven ? part : withMarkers(part, requirements);
  },
};

function reasonAgainst(block: TextPart | MediaPart, requirements: FormatRequirements): MediaReason | undefined {
  if (block.type === "text") return undefined;
  if (requirements.mediaInResults !== true) return "in-tool-result";
  return reasonAgainstMedia(described(block, null), requirements[block.type]);
}

const withMarkers = derivation((part: ToolResultPart, requirements: FormatRequirements): ToolResultPart => {
  const { content } = part.result;
  if (content.type !== "blocks") return part;
  const blocks = content.blocks.map((block) => {
    if (block.type === "text") return block;
    const media = described(block, null);
    return reasonAgainst(block, requirements) === undefined ? media : leftOutMarker(media, null);
  });
  return { ...part, result: { ...part.result, content: { type: "blocks", blocks } } };
});
