import { sha256 } from "@threadfold/core";
import type { ModelCapabilities } from "../input/model-capabilities.ts";

/** What a provider accepts as a name or id. */
interface NameRule {
  /** Matches one character that is NOT accepted; null when all are. */
  readonly refused: RegExp | null;
  /** In UTF-16 code units; null for no limit. */
  readonly maxLength: number | null;
  /** Matches a name with a start that is not accepted; such a name gets an underscore in front. */
  readonly refusedStart?: RegExp;
}

const HASH_LENGTH = 8;

/** Matches the first half of a surrogate pair where a cut left it alone. */
const HALF_CHARACTER = /[\ud800-\udbff]$/;

/** Replaces every character that is not accepted with `_`, and the end of a name that is too long with a hash. */
export function acceptedName(name: string, { refused, maxLength, refusedStart }: NameRule): string {
  const replaced = refused?.test(name) === true ? name.replaceAll(new RegExp(refused, "g"), "_") : name;
  const accepted = refusedStart?.test(replaced) === true ? `_${replaced}` : replaced;
  if (maxLength === null || accepted.length <= maxLength) return accepted;
  const head = accepted.slice(0, maxLength - HASH_LENGTH - 1).replace(HALF_CHARACTER, "");
  return `${head}-${sha256(name).slice(0, HASH_LENGTH)}`;
}

/** Returns the name under which a tool is sent, in calls and definitions alike. */
export const acceptedToolName = (name: string, rule: NameRule): string =>
  acceptedName(name, rule) || (rule.refused === null ? name : "unnamed_tool");

/** How a format handles images or documents, depending on where their bytes are. */
export interface MediaRequirement {
  /** Media types that may travel as base64. */
  readonly base64: readonly string[];
  /** Schemes of URLs that the provider fetches itself. */
  readonly urls: readonly string[];
  readonly fileIds: boolean;
  /** The longest base64 that is accepted, in characters; any by default. */
  readonly maxBase64?: number;
  /** Set if URLs are sent only when their media type is known. */
  readonly typedUrls?: true;
}

/** Whether reasoning is sent back to the provider. */
export type ReasoningRequirement =
  /** Unchanged, signed or not. */
  | { readonly replay: "always" }
  /** Only what this provider signed or encrypted, and only while the prefix it is bound to is unchanged. */
  | {
      readonly replay: "signed";
      /** Name of the provider; `*` if the format passes reasoning to whichever provider made it. */
      readonly provider: string;
      /** What it is bound to; see `ModelCapabilities`. */
      readonly binding: ModelCapabilities["reasoning"];
      /** `kept`: unsigned reasoning is sent back too; it is not bound to anything. */
      readonly unsigned?: "kept";
      /** What the provider accepts as proof that it wrote the reasoning; either one by default. */
      readonly proofs?: readonly ("signature" | "encrypted")[];
      /** Names of the providers whose reasoning must come first in its turn; `*` for all. */
      readonly leads?: readonly string[];
      /**
       * `own`: whatever follows it must come from the log as well; a message that rendering made does not count.
       * `beside`: something must be in its own message, before or after it, because it is sent as a field of that.
       */
      readonly follower?: "own" | "beside";
    }
  | { readonly replay: "never" };

/**
 * What a format requires of a request, as data. The repairs read this table and know no provider; a new format is a new
 * table. The format's legality rules check the same things on the lowered payload, without this table.
 */
export interface FormatRequirements {
  /** Who must speak first: `user`, or anyone. */
  readonly opening: "user" | "anyone";
  /**
   * The item of the provider's own compaction, which replaces everything before it. Absent if the provider makes none.
   */
  readonly standIn?: StandInRequirement;
  /** Types of tool search items, and whether the model rejects them and deferred tools. */
  readonly searches?: { readonly types: readonly string[]; readonly refused?: true };
  /**
   * Mid-conversation system messages: sent as such, or as a marked user message. `before-answer`: sent as such between
   * what is said to the model and its answer. `known-models`: there, and only if the capability table says that the
   * model takes them.
   */
  readonly systemInside: "native" | "before-answer" | "known-models" | "notice";
  /** A field of a system message that says something even without content, and so has a place anywhere. */
  readonly directive?: { readonly provider: string; readonly field: string };
  readonly reasoning: ReasoningRequirement;
  /** Fields of `providerMetadata` in which the provider signs texts and calls for one of its models. */
  readonly signatures?: { readonly provider: string; readonly fields: readonly string[] };
  /** Names of the providers whose opaque items may be sent; `*` for all. */
  readonly opaqueFrom: readonly string[];
  /** Text fields that an opaque item must have to be an item of this provider at all. */
  readonly opaqueFields: readonly string[];
  /** Types of opaque items that may be sent, each with further text fields that it must have; all types by default. */
  readonly opaqueTypes?: Readonly<Record<string, readonly string[]>>;
  /** Names of fields of which an opaque item must have at least one, if items are told apart by such a field. */
  readonly opaqueKeys?: readonly string[];
  /** Fields of an opaque item that may be null but not blank text. */
  readonly opaqueNotBlank?: readonly string[];
  /** Types of opaque items that may only be sent together. */
  readonly opaquePairs?: readonly OpaquePair[];
  /**
   * Set if such a call and its answer must be in one tool loop, and a call at the end of the request may still be open:
   * the provider continues it.
   */
  readonly opaquePairsInLoop?: true;
  /** Opaque items that the provider rejects without the reasoning that it wrote before them. */
  readonly opaqueReasoned?: ReasonedItems;
  /** How calls name the provider's item that made them, which the request must then have. */
  readonly callers?: CallerRequirement;
  /**
   * Types of opaque items at which another model went on with an answer. The provider wants no call back that nobody
   * ran before it.
   */
  readonly handovers?: readonly string[];
  /** Field of an opaque item whose value no two items of a request may share. */
  readonly opaqueOnce?: string;
  readonly image: MediaRequirement;
  readonly file: MediaRequirement;
  /** Roles whose messages may contain media. */
  readonly mediaRoles: readonly ("user" | "assistant")[];
  /** Whether results may contain media. `known-models`: only if the capability table says that the model accepts it. */
  readonly mediaInResults: boolean | "known-models";
  /** Set if a result that is marked as failed may contain only text. */
  readonly textInFailures?: true;
  /** Set if results may refer to tools, which the request must then define. */
  readonly toolReferences?: true;
  /** Whether the arguments of a call must be an object. */
  readonly toolInput: "object" | "any";
  /** Set if calls with free-text input are sent as free text. */
  readonly freeTextCalls?: true;
  /** Whether a failed result can be marked as failed. */
  readonly marksFailures: boolean;
  readonly callIds: NameRule & {
    /** Scope in which an id must be unique. */
    readonly uniqueIn: "request" | "batch";
  };
  readonly toolNames: NameRule;
  /** Set if tools may be grouped in namespaces, so that one name may be used in several. */
  readonly toolNamespaces?: true;
  /** Provider-specific fields that the format has a place for, on texts and on messages. */
  readonly fields: { readonly texts: FieldTable; readonly messages: FieldTable };
  /** Whether calls and results may only be sent together with a definition of some tool. */
  readonly declaresTools: boolean;
  /** Cache marks that a request may have; any number by default. */
  readonly cacheMarks?: CacheMarkRequirement;
  /** JSON Schema keywords that the provider respects in a tool's input schema; all by default. */
  readonly schemaKeywords?: readonly string[];
}

/** What a provider's own compaction produces from a conversation, and how the provider takes it back. */
interface StandInRequirement {
  /** Type of the opaque item. A request may begin with an assistant message that carries one. */
  readonly type: string;
  /**
   * Fields of which at least one must be non-blank text; an item without any means that the compaction failed, and
   * replaces nothing.
   */
  readonly contents: readonly string[];
  /** Field whose presence means that the item may only be sent at the very beginning of a request. */
  readonly firstWith?: string;
  /** `user`: user messages before the item are kept, because the provider returns them along with it. */
  readonly keeps?: "user";
  /** Set for a model that does not accept the item. */
  readonly refused?: true;
}

/** Names of fields by provider; `*` stands for every provider that is not named. */
export type FieldTable = Readonly<Record<string, readonly string[] | "all">>;

/** How a provider marks the end of a prefix to cache. */
export interface CacheMarkRequirement {
  readonly provider: string;
  /** The field of `providerMetadata` that contains the mark. */
  readonly field: string;
  readonly most: number;
  /** Set if models without breakpoints reject the marks instead of ignoring them. */
  readonly refusedElsewhere?: true;
}

/**
 * A provider's item and the one that answers it: both carry the same value in a field. If neither carries a value, both
 * must be in one message, and an answer belongs to the first earlier call that has none yet.
 */
export interface OpaquePair {
  readonly call: string;
  /** An item type, or `*` followed by the ending of a type. */
  readonly answer: string;
  /** Name of that field on the call, and on the answer. */
  readonly fields: readonly [call: string, answer: string];
  /** Set if a call is sent without its answer as well: it runs until its own calls are answered. */
  readonly mayBeOpen?: true;
}

/** How a call, of a tool or of the provider's own, says which item of the provider made it. */
export interface CallerRequirement {
  readonly provider: string;
  /** Field of the call that holds the caller. */
  readonly field: string;
  /** Field of the caller with the value that the item has. */
  readonly reference: string;
  /** Type of the item, and its field. */
  readonly item: readonly [type: string, field: string];
}

/** Types of items that belong to the reasoning before them in their message. */
export interface ReasonedItems {
  /** Name of the field by which the provider knows an item, and with it the reasoning that it wants to see. */
  readonly field: string;
  /** Types that may be sent without this field, and then need no reasoning. */
  readonly optional: readonly string[];
  /** Types that must have it, so that they are not sent at all without their reasoning. */
  readonly required: readonly string[];
}

/** Media of any kind and source. */
export const ANY_MEDIA: MediaRequirement = Object.freeze({ base64: ["*"], urls: ["*"], fileIds: true });
