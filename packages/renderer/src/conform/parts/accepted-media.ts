import type { MediaPart, TextPart } from "@threadfold/core";
import { derivation } from "../../neutral/derivation.ts";
import { mediaMarker } from "../../neutral/media-marker.ts";
import type { LeftOutReason } from "../../warnings/render-warning.ts";
import type { MediaRequirement } from "../format-requirements.ts";

export type MediaReason = LeftOutReason["media-replaced"];

/** Why a picture or document cannot go out as it is; undefined when it can. */
export function reasonAgainstMedia({ source }: MediaPart, requirement: MediaRequirement): MediaReason | undefined {
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

const accepts = (list: readonly string[], item: string): boolean => list.includes(item) || list.includes("*");

/** The text that stands for a picture or document that cannot go out. */
export const leftOutMarker = derivation((part: MediaPart, _key: null): TextPart => mediaMarker(part, "left out"));
