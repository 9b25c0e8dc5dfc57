import type { FormatRequirements } from "../../capabilities/format-requirements.ts";
import { checkRules, checkShape, type PathNames, partLocator, SHAPE_RULE } from "../../legality/check-rules.ts";
import type { ProviderFormat } from "../provider-format.ts";
import { geminiView } from "./gemini-view.ts";
import { lowerRequest } from "./lower.ts";
import { GEMINI_RULES } from "./rules.ts";
import { geminiRequestSchema } from "./wire-schema.ts";

/** What Gemini's `generateContent` asks of a request. */
const GEMINI_REQUIREMENTS = Object.freeze<FormatRequirements>({
  opening: "user",
  systemInside: "notice",
  reasoning: { replay: "signed", provider: "google", binding: "none", proofs: ["signature"] },
  signatures: { provider: "google", fields: ["thoughtSignature", "textSignature"] },
  opaqueFrom: ["google"],
  opaqueFields: [],
  opaqueKeys: ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"],
  image: {
    base64: ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"],
    urls: ["https", "gs"],
    fileIds: false,
    typedUrls: true,
  },
  file: {
    base64: [
      "application/pdf",
      "text/plain",
      "text/markdown",
      "text/html",
      "text/css",
      "text/csv",
      "text/xml",
      "text/rtf",
      "audio/wav",
      "audio/mp3",
      "audio/mpeg",
      "audio/aiff",
      "audio/aac",
      "audio/ogg",
      "audio/flac",
      "video/mp4",
      "video/mpeg",
      "video/mov",
      "video/quicktime",
      "video/webm",
    ],
    urls: ["https", "gs"],
    fileIds: false,
    typedUrls: true,
  },
  mediaRoles: ["user"],
  mediaInResults: "known-models",
  toolInput: "object",
  marksFailures: true,
  callIds: { refused: null, maxLength: null, uniqueIn: "request" },
  toolNames: { refused: /[^a-zA-Z0-9_.:-]/, maxLength: 128, refusedStart: /^[^a-zA-Z_]/ },
  fields: { texts: {}, messages: {} },
  declaresTools: false,
  schemaKeywords: [
    "$id",
    "$defs",
    "$ref",
    "$anchor",
    "type",
    "format",
    "title",
    "description",
    "enum",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "anyOf",
    "oneOf",
    "properties",
    "additionalProperties",
    "required",
    "propertyOrdering",
  ],
});

const NAMES: PathNames = { messages: "contents", blocks: "parts" };

/** Gemini's `generateContent`, as it goes over the wire. */
export const gemini: ProviderFormat = {
  id: "gemini",
  messagesField: "contents",
  rules: { requirements: GEMINI_REQUIREMENTS, rules: [SHAPE_RULE, ...GEMINI_RULES] },
  lower: (request) => ({ payload: lowerRequest(request) }),
  check(payload, manifest) {
    const view = geminiView(payload, manifest?.model);
    const shape = manifest === undefined ? checkShape(geminiRequestSchema, payload) : [];
    const counts = view.contents.map(({ parts }) => parts.length);
    return [...shape, ...checkRules(GEMINI_RULES, view, manifest, (known) => partLocator(counts, known), NAMES)];
  },
};
