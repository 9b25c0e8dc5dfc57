import type { FormatRequirements } from "../capabilities/format-requirements.ts";
import type { RuleId } from "./remedies.ts";

/** What a format requires of a request, as data: what rendering conforms to, and the rules that payloads must pass. */
export interface LegalityTable {
  readonly requirements: FormatRequirements;
  readonly rules: readonly LegalityRuleInfo[];
}

/** A position in a payload: a message and one of its blocks, or a path. */
export type Place =
  | { readonly message: number; readonly block?: number; readonly field?: string }
  | { readonly path: string };

/** One breach of a rule. */
export interface Finding {
  readonly place: Place;
  readonly problem: string;
}

/** A rule of a provider's format as data. */
export interface LegalityRuleInfo {
  /** Stable id, as violations name it: the scenario's id if there is one (`W1`), else words. */
  readonly id: string;
  /** What the provider requires, in one sentence. */
  readonly description: string;
  /** The subject of the rule, such as `Reasoning`. docs/spec/wire.md has the rule and its remedy under its id. */
  readonly reference: string;
}

/** A rule of ours that can be checked on a format's own view of a payload. */
export interface LegalityRule<View> extends LegalityRuleInfo {
  readonly id: RuleId;
  find(view: View): readonly Finding[];
}

/** Returns a place in a payload, by message, block and field. */
export const at = (message: number, block?: number, field?: string): Place => ({
  message,
  ...(block !== undefined && { block }),
  ...(field !== undefined && { field }),
});

/** A JSON object of unknown content. */
export type PlainObject = Readonly<Record<string, unknown>>;

export const isPlainObject = (value: unknown): value is PlainObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Fields in which providers expect the bytes of an image or document, or the place where they are. */
const BYTES = [
  ...["data", "url", "uri", "file_id", "fileId", "content"],
  ...["image", "image_url", "file_data", "file_url", "fileUri"],
];

/** Matches text with nothing in it; in a data URL, that is behind the comma. */
const EMPTY = /^(?:\s*|data:[^,]*(?:,\s*)?)$/i;

/** What is wrong with an image or document that {@link isEmptyMedia}. */
export const EMPTY_MEDIA = "there is nothing in the image or document";

/** Checks for an image or document without any content. */
export const isEmptyMedia = (media: unknown): boolean =>
  isPlainObject(media) &&
  BYTES.every((field) => {
    const value = media[field] ?? "";
    return typeof value === "string" ? EMPTY.test(value) : Array.isArray(value) && value.length === 0;
  });

export const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
