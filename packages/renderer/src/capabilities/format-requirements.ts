import { sha256 } from "@threadfold/core";
import type { ModelCapabilities } from "../input/model-capabilities.ts";

/** What a provider accepts as a name or id. */
interface NameRule {
  /** Matches one sign that is NOT accepted; null when all are. */
  readonly refused: RegExp | null;
  /** In UTF-16 code units; null for any length. */
  readonly maxLength: number | null;
  /** Matches a name that begins as it may not; it gets an underscore in front. */
  readonly refusedStart?: RegExp;
}

const HASH_LENGTH = 8;

/** A name with every sign that is not accepted replaced by `_`, and a hash for the end when it is too long. */
export function acceptedName(name: string, { refused, maxLength, refusedStart }: NameRule): string {
  const replaced = refused?.test(name) === true ? name.replaceAll(new RegExp(refused, "g"), "_") : name;
  const accepted = refusedStart?.test(replaced) === true ? `_${replaced}` : replaced;
  if (maxLength === null || accepted.length <= maxLength) return accepted;
  return `${accepted.slice(0, maxLength - HASH_LENGTH - 1)}-${sha256(name).slice(0, HASH_LENGTH)}`;
}

/** The name that a tool goes out under, in calls and definitions alike. */
export const acceptedToolName = (name: string, rule: NameRule): string =>
  acceptedName(name, rule) || (rule.refused === null ? name : "unnamed_tool");

/** What a format does with pictures and documents of one kind, by where their bytes are. */
export interface MediaRequirement {
  /** Media types that may travel as base64. */
  readonly base64: readonly string[];
  /** Schemes of URLs that the provider fetches itself. */
  readonly urls: readonly string[];
  readonly fileIds: boolean;
  /** Set where a URL goes out with its media type alone. */
  readonly typedUrls?: true;
}

/** Whether reasoning goes back to the provider. */
export type ReasoningRequirement =
  /** As it is, signed or not. */
  | { readonly replay: "always" }
  /** Only what this provider signed or encrypted, and only where the prefix it is bound to is unchanged. */
  | {
      readonly replay: "signed";
      /** Name of the provider; `*` where the format hands it to whichever provider made it. */
      readonly provider: string;
      /** What it is bound to; see `ModelCapabilities`. */
      readonly binding: ModelCapabilities["reasoning"];
      /** `kept`: reasoning that nobody signed goes back too; it is bound to nothing. */
      readonly unsigned?: "kept";
      /** What the provider takes as proof that it wrote the reasoning; either by default. */
      readonly proofs?: readonly ("signature" | "encrypted")[];
      /** Names of the providers whose reasoning has to be the first of its turn; `*` for all. */
      readonly leads?: readonly string[];
      /** `own`: what follows it must come from the log too; a message that rendering made does not count. */
      readonly follower?: "own";
    }
  | { readonly replay: "never" };

/**
 * What a format asks of a request, as data. The repairs read it and know no provider; a new format is a new table. The
 * legality rules of the same format check the same things on the lowered payload, without this table.
 */
export interface FormatRequirements {
  /** Who speaks first: `user`, or anyone. */
  readonly opening: "user" | "anyone";
  /** The item of the provider's own compaction, which stands for everything before it. Absent where it makes none. */
  readonly standIn?: StandInRequirement;
  /** Types of the items in which tools are searched for, and whether the model refuses them and tools that wait for one. */
  readonly searches?: { readonly types: readonly string[]; readonly refused?: true };
  /** System messages in mid-conversation: sent as such, or as a marked user message. */
  readonly systemInside: "native" | "notice";
  readonly reasoning: ReasoningRequirement;
  /** Fields of `providerMetadata` in which the provider signs texts and calls for one of its models. */
  readonly signatures?: { readonly provider: string; readonly fields: readonly string[] };
  /** Names of the providers whose opaque items may go out; `*` for all. */
  readonly opaqueFrom: readonly string[];
  /** Fields that an opaque item must have as text, to be an item of this provider at all. */
  readonly opaqueFields: readonly string[];
  /** Types of opaque items that may go out, each with the further fields that it must have as text; all by default. */
  readonly opaqueTypes?: Readonly<Record<string, readonly string[]>>;
  /** Names of fields of which an opaque item has one, where items are told apart by it. */
  readonly opaqueKeys?: readonly string[];
  /** Fields of an opaque item that may be null and must not be blank text. */
  readonly opaqueNotBlank?: readonly string[];
  /** Types of opaque items that may only go out together. */
  readonly opaquePairs?: readonly OpaquePair[];
  /**
   * Set where such a call and its answer stand in one tool loop, and a call at the end of the request may still be open: the
   * provider goes on with it.
   */
  readonly opaquePairsInLoop?: true;
  /** Field of an opaque item that no two items of a request may share. */
  readonly opaqueOnce?: string;
  readonly image: MediaRequirement;
  readonly file: MediaRequirement;
  /** Roles whose messages may hold media. */
  readonly mediaRoles: readonly ("user" | "assistant")[];
  /** `known-models`: only for a model of which the table says that it takes them. */
  readonly mediaInResults: boolean | "known-models";
  /** Set where a result that is marked as failed holds text alone. */
  readonly textInFailures?: true;
  /** Set where results may refer to tools, which the request must define then. */
  readonly toolReferences?: true;
  /** Whether the arguments of a call must be an object. */
  readonly toolInput: "object" | "any";
  /** Set where calls whose input is free text travel as such. */
  readonly freeTextCalls?: true;
  /** Whether a failed result can say so. */
  readonly marksFailures: boolean;
  readonly callIds: NameRule & {
    /** Where an id must be unique. */
    readonly uniqueIn: "request" | "batch";
  };
  readonly toolNames: NameRule;
  /** Set where tools may stand in namespaces, so that one name may be used in several. */
  readonly toolNamespaces?: true;
  /** What of one provider's own the format has a place for, besides texts and besides messages. */
  readonly fields: { readonly texts: FieldTable; readonly messages: FieldTable };
  /** Whether calls and results may only go out together with a definition of some tool. */
  readonly declaresTools: boolean;
  /** Marks of cached prefixes that a request may have; any number by default. */
  readonly cacheMarks?: CacheMarkRequirement;
  /** Keywords of JSON Schema that the provider heeds in a tool's input; all by default. */
  readonly schemaKeywords?: readonly string[];
}

/** What a provider makes of a conversation in its own compaction, and where it takes that back. */
interface StandInRequirement {
  /** Type of the opaque item. An assistant may open a request with one. */
  readonly type: string;
  /** Fields one of which is a text that is not blank; an item without any says that the compaction failed, and stands for nothing. */
  readonly contents: readonly string[];
  /** Field of an item that may go out at the very beginning of a request alone. */
  readonly firstWith?: string;
  /** `user`: messages of users stay before the item, as the provider hands them back with it. */
  readonly keeps?: "user";
  /** Set for a model that does not take the item. */
  readonly refused?: true;
}

/** Names of fields by provider; `*` stands for every provider that is not named. */
export type FieldTable = Readonly<Record<string, readonly string[] | "all">>;

/** How a provider marks the end of a prefix that it is to cache. */
export interface CacheMarkRequirement {
  readonly provider: string;
  /** The field of `providerMetadata` that holds the mark. */
  readonly field: string;
  readonly most: number;
  /** Set where a model without breakpoints refuses the marks instead of passing over them. */
  readonly refusedElsewhere?: true;
}

/**
 * A provider's item and the one that answers it: both name the same value in a field. Where neither names any, both
 * came in one message, and an answer is for the first call before it that has none yet.
 */
export interface OpaquePair {
  readonly call: string;
  /** A type, or `*` and how types end. */
  readonly answer: string;
  /** Field of the call, and field of the answer. */
  readonly fields: readonly [call: string, answer: string];
}

/** Media of any kind and source. */
export const ANY_MEDIA: MediaRequirement = Object.freeze({ base64: ["*"], urls: ["*"], fileIds: true });
