import {
  type AgentThread,
  type BodyPreview,
  groupRecords,
  type Message,
  type MessageId,
  type PlanRecord,
  type PlanRecords,
  planRecords,
  type RequestRoom,
  type ThreadShape,
  toolResultText,
} from "@threadfold/core";
import { type CountTokens, textEnds } from "./text-ends.ts";

/** An unread result that a record of its own stands for. */
export interface UnreadBody {
  readonly id: MessageId;
  readonly text: string;
  readonly tokens: number;
}

/** What a plan shows of unread results. */
export interface ShownUnread {
  readonly records: PlanRecords;
  /** Tokens of the request without what is shown of those that do not fit whole. */
  readonly restTokens: number;
  /** False when so little of them is shown that another plan is worth trying. */
  readonly enough: boolean;
}

/** The unread results that records stand for. */
export function unreadBodies(
  ordinals: readonly number[],
  records: PlanRecords,
  thread: AgentThread,
  shape: ThreadShape,
): readonly UnreadBody[] {
  const held = new Set(planRecords(records).flatMap((record) => resultOf(record) ?? []));
  return ordinals.flatMap((ordinal) => {
    const { id, parts } = thread.messageAt(ordinal) as Message;
    const [part] = parts;
    if (!held.has(id) || part?.type !== "tool-result") return [];
    const { shares } = shape.header(ordinal);
    return [{ id, text: toolResultText(part.result.content), tokens: shares.toolResult }];
  });
}

/** The result that a record empties and leaves in its place; undefined for other records. */
function resultOf(record: PlanRecord): MessageId | undefined {
  const isOwn =
    (record.action === "externalize" && record.form === "body") ||
    (record.action === "clear" && record.targets.includes("tool-result"));
  return isOwn && record.span.messageIds.length === 1 ? record.span.messageIds[0] : undefined;
}

/** Of each unread result so many tokens are shown, unless a quarter of the room is not enough for that. */
const LEAST_SHOWN = 300;
/** How often the ends are fitted: what is counted alone is not what is counted in a request. */
const MAX_FITS = 5;
/** Room that need not be used, as a share. */
const SLACK = 0.04;

/**
 * Shows as much of unread results as the room holds that the other records leave, up to the soft threshold. The request is
 * measured with each try, so that it fits whatever rendering adds.
 */
export async function showUnread(
  records: PlanRecords,
  bodies: readonly UnreadBody[],
  { tokens, softLimit }: RequestRoom,
  countTokens: CountTokens,
  measure: (records: PlanRecords) => Promise<number>,
): Promise<ShownUnread> {
  if (bodies.length === 0) return { records, restTokens: await measure(records), enough: true };
  const restTokens = await measure(records);
  const least = Math.min(LEAST_SHOWN * bodies.length, Math.floor(softLimit / 4));
  const limit = restTokens + least <= softLimit ? softLimit : tokens;
  const room = limit - restTokens;
  let best = records;
  let reached = restTokens;
  let share = room;
  for (let fits = 0; fits < MAX_FITS && share > 0; fits++) {
    const shown = shareRoom(records, bodies, share, countTokens);
    const taken = await measure(shown.records);
    if (taken <= limit && taken > reached) {
      best = shown.records;
      reached = taken;
    }
    if (taken <= limit && (shown.whole || taken >= limit - SLACK * room)) break;
    share += taken <= limit ? limit - taken : limit - taken - Math.ceil((SLACK * room) / 4);
  }
  return { records: best, restTokens, enough: room >= least };
}

interface SharedRoom {
  readonly records: PlanRecords;
  readonly whole: boolean;
}
/** Shares so many tokens over unread bodies: those that take no more than their share stay whole, of the others the ends. */
export function shareRoom(
  records: PlanRecords,
  bodies: readonly UnreadBody[],
  tokens: number,
  countTokens: CountTokens,
): SharedRoom {
  const share = equalShare(
    bodies.map((body) => body.tokens),
    tokens,
  );
  const bodyOf = new Map(bodies.map((body) => [body.id, body]));
  const shown = planRecords(records).flatMap((record): readonly PlanRecord[] => {
    const id = resultOf(record);
    const body = id === undefined ? undefined : bodyOf.get(id);
    if (body === undefined) return [record];
    return body.tokens <= share ? [] : [withPreview(record, textEnds(body.text, body.tokens, share, countTokens))];
  });
  return { records: groupRecords(shown), whole: bodies.every((body) => body.tokens <= share) };
}

/** The most that each may take, so that all together take the room at the most and nobody's share is left unused. */
function equalShare(sizes: readonly number[], room: number): number {
  const ascending = [...sizes].sort((a, b) => a - b);
  let left = room;
  for (const [index, size] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

function withPreview(record: PlanRecord, preview: BodyPreview | null): PlanRecord {
  if (preview === null) return record;
  if (record.action === "externalize") return { ...record, preview };
  return record.action === "clear" ? { ...record, keep: preview } : record;
}
