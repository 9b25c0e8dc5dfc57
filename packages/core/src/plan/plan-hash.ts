import type { Patch } from "immer";
import { canonicalJson } from "../json/canonical-json.ts";
import { parseJson } from "../json/parse-json.ts";
import { digestOf, listDigest } from "../json/sha256.ts";
import { asPlanId, type PlanId } from "../model/ids.ts";
import type { SpanReference } from "../thread/span-reference.ts";
import { mapLists, type PlanRecord, type PlanRecords, RECORD_KINDS } from "./plan-record.ts";

/**
 * The longest span whose ids are hashed with the plan. The ids of a longer one are hashed on their own, as a list that
 * grows from plan to plan, so that a plan's id does not take longer to compute the more the plan hides (P9).
 */
export const LONGEST_HASHED_SPAN = 4_096;

/** How the ids of a longer span stand in what is hashed: how many they are, and SHA-256 of them as canonical JSON. */
export interface HashedIds {
  readonly count: number;
  readonly sha256: string;
}

/** A plan, with its id or without. */
type Content = PlanRecords & { readonly createdAt: string; readonly planId?: PlanId };

/** Plans whose ids were computed before long spans were hashed on their own. */
const formerPlans = new WeakSet<Content>();

/** Returns the id of a plan with this content. */
export const planIdOf = (content: Content): PlanId => asPlanId(digestOf(hashedPlan(content)));

/** Checks whether a plan has the id that it had before long spans were hashed on their own, and notes that it has. */
export function hasFormerId(plan: Content): boolean {
  if (digestOf(withoutId(plan)) !== plan.planId) return false;
  formerPlans.add(plan);
  return true;
}

/** Returns the text whose SHA-256 is the id of a plan. */
export const planHashText = (plan: Content): string =>
  canonicalJson(formerPlans.has(plan) ? withoutId(plan) : hashedPlan(plan));

/** Returns the patches that led to a plan, as they are hashed. */
export const hashedPatches = (patches: readonly Patch[], plan: Content): readonly object[] =>
  formerPlans.has(plan)
    ? patches
    : patches.map((patch) => (isRecord(patch.value) ? { ...patch, value: hashedRecord(patch.value) } : patch));

/** Returns the lists of message ids that are hashed on their own, each once, however many records have a copy of it. */
export function idsHashedApart(plan: Content): readonly SpanReference["messageIds"][] {
  if (formerPlans.has(plan)) return [];
  const lists = spansOf(plan).map(({ messageIds }) => messageIds);
  return [...new Map(lists.filter(isLong).map((ids) => [listDigest(ids), ids])).values()];
}

/** Returns how such lists stand in a text whose SHA-256 is the id of a plan; nothing for any other text. */
export function hashedIdsIn(planText: string): readonly HashedIds[] {
  try {
    const found = spansOf(parseJson(planText) as PlanRecords).map(({ messageIds }) => messageIds);
    return found.filter((ids) => !Array.isArray(ids)) as unknown as readonly HashedIds[];
  } catch {
    return [];
  }
}

const spansOf = (plan: PlanRecords): readonly SpanReference[] =>
  Object.values(RECORD_KINDS)
    .flatMap(({ list }): readonly PlanRecord[] => plan[list])
    .flatMap((record) => ("summary" in record ? [record.span, record.summary.span] : [record.span]));

function withoutId({ createdAt: _createdAt, planId: _planId, ...hashed }: Content): Omit<Content, "createdAt"> {
  return hashed;
}

function hashedPlan(content: Content): object {
  const hashed = withoutId(content);
  return { ...hashed, ...mapLists((list) => hashed[list].map(hashedRecord)) };
}

const isRecord = (value: unknown): value is PlanRecord =>
  typeof value === "object" && value !== null && "span" in value;

const isLong = ({ length }: SpanReference["messageIds"]): boolean => length > LONGEST_HASHED_SPAN;

/** Not a record any more as far as long spans are concerned: only its canonical form is used. */
export function hashedRecord(record: PlanRecord): PlanRecord {
  const summary = "summary" in record ? { summary: withHashedSpan(record.summary) } : {};
  return { ...withHashedSpan(record), ...summary } as PlanRecord;
}

function withHashedSpan<Holder extends { readonly span: SpanReference }>(holder: Holder): object {
  const { messageIds } = holder.span;
  if (!isLong(messageIds)) return holder;
  const hashed: HashedIds = { count: messageIds.length, sha256: listDigest(messageIds) };
  return { ...holder, span: { ...holder.span, messageIds: hashed } };
}
