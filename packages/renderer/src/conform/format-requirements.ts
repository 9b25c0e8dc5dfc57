import type { NameRule } from "./accepted-name.ts";

/** What a format does with pictures and documents of one kind, by where their bytes are. */
export interface MediaRequirement {
  /** Media types that may travel as base64. */
  readonly base64: readonly string[];
  /** Schemes of URLs that the provider fetches itself. */
  readonly urls: readonly string[];
  readonly fileIds: boolean;
}

/** Whether reasoning goes back to the provider. */
export type ReasoningRequirement =
  /** As it is, signed or not. */
  | { readonly replay: "always" }
  /** Only what this provider signed or encrypted, and only where the prefix it is bound to is unchanged. */
  | { readonly replay: "signed"; readonly provider: string; readonly binding: "prefix-bound" }
  | { readonly replay: "never" };

/**
 * What a format asks of a request, as data. The repairs read it and know no provider; a new format is a new table. The
 * legality rules of the same format check the same things on the lowered payload, without this table.
 */
export interface FormatRequirements {
  /** Who speaks first: `user`, or anyone. */
  readonly opening: "user" | "anyone";
  /** System messages in mid-conversation: sent as such, or as a marked user message. */
  readonly systemInside: "native" | "notice";
  readonly reasoning: ReasoningRequirement;
  /** Names of the providers whose opaque items may go out; `*` for all. */
  readonly opaqueFrom: readonly string[];
  /** Fields that an opaque item must have as text, to be an item of this provider at all. */
  readonly opaqueFields: readonly string[];
  readonly image: MediaRequirement;
  readonly file: MediaRequirement;
  /** Roles whose messages may hold media. */
  readonly mediaRoles: readonly ("user" | "assistant")[];
  readonly mediaInResults: boolean;
  /** Whether the arguments of a call must be an object. */
  readonly toolInput: "object" | "any";
  /** Whether a failed result can say so. */
  readonly marksFailures: boolean;
  readonly callIds: NameRule & {
    /** Where an id must be unique. */
    readonly uniqueIn: "request" | "batch";
  };
  readonly toolNames: NameRule;
  /** Whether calls and results may only go out beside a definition of some tool. */
  readonly declaresTools: boolean;
}

/** Media of any kind and source. */
export const ANY_MEDIA: MediaRequirement = Object.freeze({ base64: ["*"], urls: ["*"], fileIds: true });
