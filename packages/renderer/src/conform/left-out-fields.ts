import {
  type JsonObject,
  type MessageId,
  type Part,
  type ProviderMetadata,
  type SystemEntry,
  type ToolDefinition,
  toSystemText,
} from "@threadfold/core";
import type {
  CacheMarkRequirement,
  CallerRequirement,
  FieldTable,
  FormatRequirements,
} from "../capabilities/format-requirements.ts";
import { derivation } from "../input/derivation.ts";
import { type Draft, withParts } from "../neutral/draft.ts";
import { systemRole, withoutSystemRole } from "../neutral/split-system.ts";
import type { WarningLog } from "../warnings/warning-log.ts";
import { mapDrafts, type Repair, withDrafts } from "./conformance.ts";

/** Something that may carry a cache mark. */
interface Marked {
  readonly providerMetadata?: ProviderMetadata;
}

/**
 * Leaves out cache marks of the log beyond those that a request may have (W17). The first ones stay, counting tools and
 * system text before messages, so that later content never changes what was rendered earlier.
 */
export const leaveOutCacheMarks: Repair = {
  name: "leave-out-cache-marks",
  apply(request, { requirements: { cacheMarks }, warnings, ends: { marksBefore = 0 } }) {
    if (cacheMarks === undefined) return request;
    let left = cacheMarks.most - marksBefore;
    const take = (count: number): boolean => {
      const fits = count <= left;
      if (fits) left -= count;
      return fits;
    };
    const tools = request.tools.map((tool): ToolDefinition => {
      return isMarked(tool, cacheMarks) && !take(1) ? withoutMark(tool, cacheMarks) : tool;
    });
    const system = request.system.map((entry): SystemEntry => {
      return typeof entry === "object" && isMarked(entry, cacheMarks) && !take(1)
        ? withoutMark(entry, cacheMarks)
        : entry;
    });
    const unchanged =
      tools.every((tool, index) => tool === request.tools[index]) &&
      system.every((entry, index) => entry === request.system[index]);
    if (system.some((entry, index) => entry !== request.system[index])) warnings.add("cache-mark-left-out", []);
    const drafts = mapDrafts(request.drafts, (draft) => {
      const { parts } = draft.chat;
      if (parts.every((part) => marksOf(part, cacheMarks) === 0)) return draft;
      const kept = parts.map((part) => (take(marksOf(part, cacheMarks)) ? part : unmarked(part, cacheMarks)));
      if (kept.every((part, index) => part === parts[index])) return draft;
      warnings.add("cache-mark-left-out", draft.chat.sources);
      return withParts(draft, kept);
    });
    return withDrafts(unchanged ? request : { ...request, tools, system }, drafts);
  },
};

const isMarked = ({ providerMetadata }: Marked, { provider, field }: CacheMarkRequirement): boolean =>
  providerMetadata?.[provider]?.[field] !== undefined;

/** Counts the cache marks in messages, for a format that limits them. */
export const cacheMarksIn = (drafts: readonly Draft[], { cacheMarks }: FormatRequirements): number =>
  cacheMarks === undefined
    ? 0
    : drafts.reduce((sum, { chat }) => chat.parts.reduce((all, part) => all + marksOf(part, cacheMarks), sum), 0);

/** Counts the part's own mark and those on the blocks of a result. */
function marksOf(part: Part, marks: CacheMarkRequirement): number {
  if (part.type === "opaque") return Object(part.value)[marks.field] === undefined ? 0 : 1;
  const own = isMarked(part, marks) ? 1 : 0;
  if (part.type !== "tool-result" || part.result.content.type !== "blocks") return own;
  return part.result.content.blocks.reduce((count, block) => count + (isMarked(block, marks) ? 1 : 0), own);
}

const unmarked = derivation((part: Part, marks: CacheMarkRequirement): Part => {
  if (part.type === "opaque")
    return { ...part, value: withoutField(part.value as Readonly<Record<string, never>>, marks) };
  const bare = withoutMark(part, marks);
  if (bare.type !== "tool-result" || bare.result.content.type !== "blocks") return bare;
  const blocks = bare.result.content.blocks.map((block) => withoutMark(block, marks));
  return { ...bare, result: { ...bare.result, content: { type: "blocks", blocks } } };
});

/** One field of what a provider has on a part. */
type ProviderField = Pick<CacheMarkRequirement, "provider" | "field">;

function withoutMark<Kind extends Marked>(marked: Kind, marks: ProviderField): Kind {
  const { providerMetadata } = marked;
  const own = providerMetadata?.[marks.provider];
  if (own === undefined) return marked;
  return { ...marked, providerMetadata: { ...providerMetadata, [marks.provider]: withoutField(own, marks) } };
}

function withoutField<Fields extends object>(fields: Fields, { field }: ProviderField): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== field)) as Fields;
}

/**
 * Leaves out which of the provider's items made a call if the item is not shown before it: the provider rejects a call
 * of a program that it does not find.
 */
export const leaveOutCallers: Repair = {
  name: "leave-out-callers",
  apply(request, { requirements: { callers } }) {
    if (callers === undefined) return request;
    const shown = new Set<unknown>();
    const drafts = mapDrafts(request.drafts, (draft) => {
      const { parts } = draft.chat;
      const kept = parts.map((part) => {
        shown.add(idOfCaller(part, callers));
        const caller = callerOf(part, callers);
        return caller === undefined || shown.has(caller) ? part : withoutCaller(part, callers);
      });
      return kept.every((part, index) => part === parts[index]) ? draft : withParts(draft, kept);
    });
    return withDrafts(request, drafts);
  },
};

/** Returns the id by which calls name the item that made them; undefined for anything that makes none. */
export function idOfCaller(part: Part, { item: [type, field] }: CallerRequirement): unknown {
  const value = part.type === "opaque" ? Object(part.value) : {};
  return value.type === type ? value[field] : undefined;
}

/** Returns the id of the item that made a call; undefined if the call names none. */
export function callerOf(part: Part, { provider, field, reference }: CallerRequirement): unknown {
  const caller = part.type === "opaque" ? Object(part.value)[field] : part.providerMetadata?.[provider]?.[field];
  return Object(caller)[reference];
}

const withoutCaller = derivation(
  (part: Part, requirement: CallerRequirement): Part =>
    part.type === "opaque"
      ? { ...part, value: withoutField(part.value as JsonObject, requirement) }
      : withoutMark(part, requirement),
);

/** The fields of a text whose loss is reported; its other fields are the provider's bookkeeping. */
const MISSED: readonly string[] = ["cache_control", "cacheControl", "prompt_cache_breakpoint", "citations"];

/**
 * Changes nothing: reports provider metadata on system texts, messages and texts that has no place in the format, such
 * as names, the developer role, cache marks and citations.
 */
export const noteLeftOutFields: Repair = {
  name: "note-left-out-fields",
  apply(request, { requirements: { fields }, warnings }) {
    for (const entry of request.system) noteSystem(entry, fields, warnings);
    for (const draft of request.drafts) noteDraft(draft, fields, warnings);
    return request;
  },
};

type Fields = FormatRequirements["fields"];

function noteSystem(entry: SystemEntry, fields: Fields, warnings: WarningLog): void {
  const { role, providerMetadata } = toSystemText(entry);
  const told = leftOut(
    providerMetadata,
    (provider, name) => takes(fields.texts, provider, name) || takes(fields.messages, provider, name),
  );
  const isDeveloper = role === "developer" && !takes(fields.messages, "openai", "role");
  note(isDeveloper ? ["openai.role", ...told] : told, [], warnings);
}

function noteDraft({ chat }: Draft, fields: Fields, warnings: WarningLog): void {
  const { providerMetadata, parts, sources } = chat;
  // Every format accepts a plain system message as such: nothing is lost if it is not a developer's.
  const told = systemRole(providerMetadata) === "system" ? withoutSystemRole(providerMetadata) : providerMetadata;
  const isTaken = (provider: string, name: string) => takes(fields.messages, provider, name);
  if (told !== undefined) note(leftOut(told, isTaken), sources, warnings);
  for (const part of parts) {
    if (part.type !== "text" || part.providerMetadata === undefined) continue;
    const isKept = (provider: string, name: string) => !MISSED.includes(name) || takes(fields.texts, provider, name);
    note(leftOut(part.providerMetadata, isKept), sources, warnings);
  }
}

const leftOut = (
  metadata: ProviderMetadata | undefined,
  isKept: (provider: string, name: string) => boolean,
): readonly string[] =>
  Object.entries(metadata ?? {}).flatMap(([provider, fields]) =>
    Object.keys(fields).flatMap((name) => (isKept(provider, name) ? [] : [`${provider}.${name}`])),
  );

function takes(table: FieldTable, provider: string, name: string): boolean {
  const taken = Object.hasOwn(table, provider) ? table[provider] : table["*"];
  return taken === "all" || taken?.includes(name) === true;
}

function note(names: readonly string[], messageIds: readonly MessageId[], warnings: WarningLog): void {
  if (names.length > 0) warnings.named("field-left-out", names, messageIds);
}
