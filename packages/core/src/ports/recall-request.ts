import { z } from "zod";
import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { messageIdSchema } from "../model/ids.ts";
import { roleSchema } from "../model/message.ts";
import { timeSchema } from "../model/time.ts";
import type { RecallRequest } from "./recall-index.ts";
import type { RecallPassage } from "./recall-passage.ts";
import { queryStemsOf } from "./recall-stems.ts";
import { recallTerms, unspacedWords } from "./recall-terms.ts";

/** So many words of a query are looked at. */
const MAX_WORDS_READ = 1_024;
/** No more of a query's text is read, in UTF-16 code units. */
const MAX_QUERY = 65_536;
export const MAX_RECALL_LIMIT = 2_000;
const DEFAULT_LIMIT = 20;
const CURSOR = /^after-(\d{1,15})$/;

/** A request that was checked: what to look for, where, and which part of it. */
export interface RecallSearch {
  readonly terms: readonly string[];
  readonly offset: number;
  readonly limit: number;
  /** True for passages that may be found. */
  readonly admits: (passage: RecallPassage) => boolean;
}

const requestSchema: z.ZodType<RecallRequest> = z.object({
  text: z.string(),
  branch: z.string().min(1).optional(),
  after: timeSchema.optional(),
  before: timeSchema.optional(),
  roles: z.array(roleSchema).optional(),
  except: z.array(messageIdSchema).optional(),
  limit: z.int().min(1).max(MAX_RECALL_LIMIT).optional(),
  cursor: z.string().regex(CURSOR).optional(),
});

/** Reads a request. @throws ThreadfoldError `INVALID_QUERY` that names the field. */
export function readRecallRequest(request: RecallRequest): RecallSearch {
  const issue = requestSchema.safeParse(request).error?.issues[0];
  if (issue !== undefined) {
    throw new ThreadfoldError("INVALID_QUERY", `${issue.path.join(".") || "The query"}: ${issue.message}.`);
  }
  const { text, branch, after, before, roles, except, limit = DEFAULT_LIMIT, cursor } = request;
  const [from, until] = [milliseconds(after), milliseconds(before)];
  const excluded = new Set(except);
  return {
    terms: queryTerms(text.slice(0, MAX_QUERY)),
    offset: cursor === undefined ? 0 : Number(CURSOR.exec(cursor)?.[1]),
    limit,
    admits: (passage) =>
      isBranchVisible(passage.branch, branch) &&
      !excluded.has(passage.messageId) &&
      (roles === undefined || roles.includes(passage.role)) &&
      (from === undefined || Date.parse(passage.createdAt) >= from) &&
      (until === undefined || Date.parse(passage.createdAt) < until),
  };
}

/** Words go before what is made of them, so that the limit takes no word that was asked for. */
function queryTerms(text: string): readonly string[] {
  const words = [...new Set(recallTerms(text))];
  return [...new Set([...words, ...unspacedWords(text), ...queryStemsOf(words)])].slice(0, MAX_WORDS_READ);
}

/** The cursor of the page that begins behind so many passages. */
export const recallCursor = (offset: number): string => `after-${offset}`;

/**
 * True when `from` sees a message on `branch` (C7): the main branch is seen by all, a branch sees itself and its
 * ancestors, and neither its siblings nor its children. Segments are joined by `/`, so `a` is no ancestor of `ab`.
 */
export function isBranchVisible(branch: string | undefined, from: string | undefined): boolean {
  if (branch === undefined) return true;
  return from !== undefined && (from === branch || from.startsWith(`${branch}/`));
}

const milliseconds = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);
