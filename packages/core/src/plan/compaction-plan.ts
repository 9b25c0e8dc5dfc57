import { historyNotLoaded, ThreadfoldError } from "../errors/threadfold-error.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { freezeDeep, textSchema } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";
import * as z from "../json/schema.ts";
import {
  type MessageId,
  messageIdSchema,
  type PlanId,
  planIdSchema,
  type ThreadId,
  threadIdSchema,
} from "../model/ids.ts";
import { knownRunsOf, type OrdinalRun, outlineOf } from "../thread/span-reference.ts";
import { clearRecordSchema } from "./kinds/clear.ts";
import { dropRecordSchema } from "./kinds/drop.ts";
import { externalizationRecordSchema } from "./kinds/externalize.ts";
import { summarizationRecordSchema } from "./kinds/summarize.ts";
import { hasFormerId, planIdOf } from "./plan-hash.ts";
import {
  type CompactionAction,
  mapLists,
  type PlanRecord,
  type PlanRecords,
  RECORD_KINDS,
  STRONGEST_FIRST,
} from "./plan-record.ts";
import { type RevealedTool, revealedToolSchema } from "./revealed-tools.ts";

/** Version of the plan schema. Parsing refuses a plan of any other version. */
export const PLAN_SCHEMA_VERSION = 1;

/**
 * Which messages a prompt shows and how, as pure data. It names messages by id and contains its summaries, so replaying
 * it needs no model.
 */
export interface CompactionPlan extends PlanRecords {
  readonly schemaVersion: typeof PLAN_SCHEMA_VERSION;
  /**
   * SHA-256 of the canonical form without `planId` and `createdAt`, in which the ids of a span of more than
   * {@link LONGEST_HASHED_SPAN} messages stand as {@link HashedIds}.
   */
  readonly planId: PlanId;
  readonly threadId: ThreadId;
  /** The number of thread entries that the plan was made from. The thread may have grown since. */
  readonly threadVersion: number;
  /** Position in the thread's sequence of plans: 0 is the empty plan, and the counter never restarts. */
  readonly version: number;
  readonly policyVersion: string;
  /** ISO 8601 time in UTC. */
  readonly createdAt: string;
  /** Tokens of the request without any folding. */
  readonly originalTokens: number;
  /** Tokens of the request as this plan renders it. */
  readonly compactedTokens: number;
  /**
   * Deferred tools that the model found in messages that the plan hides; they stay declared while their schema is the
   * same.
   */
  readonly revealedTools?: readonly RevealedTool[];
  /**
   * The message that contains the result of a provider's own compaction. For a provider that accepts it, it replaces
   * everything before it; for any other, the records apply instead, so that switching providers loses nothing.
   */
  readonly providerItem?: MessageId;
}

/** The content of a plan before it has an id. */
export type PlanContent = Omit<CompactionPlan, "planId" | "schemaVersion">;

export const compactionPlanSchema: z.ZodType<CompactionPlan> = z.lazy(() =>
  z.object({
    schemaVersion: z.literal(PLAN_SCHEMA_VERSION),
    planId: planIdSchema,
    threadId: threadIdSchema,
    threadVersion: z.int().nonnegative(),
    version: z.int().nonnegative(),
    policyVersion: textSchema,
    createdAt: textSchema,
    originalTokens: z.number().nonnegative(),
    compactedTokens: z.number().nonnegative(),
    externalizations: z.array(externalizationRecordSchema),
    summarizations: z.array(summarizationRecordSchema),
    clearings: z.array(clearRecordSchema),
    drops: z.array(dropRecordSchema),
    revealedTools: z.array(revealedToolSchema).exactOptional(),
    providerItem: messageIdSchema.exactOptional(),
  }),
);

/** The records of a plan that folds nothing. */
export const NO_RECORDS: PlanRecords = Object.freeze(mapLists(() => []));

/**
 * Computes the id of a plan from its content, adds it and freezes the plan. Equal content has an equal id on every
 * machine. If the content already has an id, it is computed again.
 *
 * @throws ThreadfoldError `HISTORY_NOT_LOADED` when message ids of a record were left in the store; `INVALID_PLAN` when
 * two records cover the same message, when a span names one twice, or when a span ends in a turn before its first.
 */
export function sealPlan(content: PlanContent): CompactionPlan {
  requireIds(content);
  requireOneRecordEach(content);
  const whole = { ...content, schemaVersion: PLAN_SCHEMA_VERSION } as const;
  return frozenPlan({ ...whole, planId: planIdOf(whole) });
}

/**
 * Does the same for a plan that has an id; null when its content does not match it. The id may have been computed before
 * long spans were hashed on their own.
 */
export function sealAs(content: PlanContent, planId: PlanId): CompactionPlan | null {
  const plan = sealPlan(content);
  if (plan.planId === planId) return plan;
  const former = { ...plan, planId };
  return hasFormerId(former) ? frozenPlan(former) : null;
}

function frozenPlan(plan: CompactionPlan): CompactionPlan {
  const frozen = freezeDeep<CompactionPlan>(plan);
  sealedPlans.add(frozen);
  return frozen;
}

const sealedPlans = new WeakSet<CompactionPlan>();

/**
 * True for a plan that this process sealed: it is frozen, and its id matches its content. A copy of it is not sealed.
 */
export function isSealed(plan: CompactionPlan): boolean {
  return sealedPlans.has(plan);
}

/** Returns the plan of a thread that was never folded: everything is included. */
export function emptyPlan(threadId: ThreadId, policyVersion: string): CompactionPlan {
  return sealPlan({
    ...NO_RECORDS,
    threadId,
    threadVersion: 0,
    version: 0,
    policyVersion,
    createdAt: new Date(0).toISOString(),
    originalTokens: 0,
    compactedTokens: 0,
  });
}

/**
 * Returns a plan as canonical JSON. `parsePlan` returns the same plan, byte for byte (C11).
 *
 * @throws ThreadfoldError `HISTORY_NOT_LOADED` when message ids of the plan were left in the store.
 */
export function serializePlan(plan: CompactionPlan): string {
  requireIds(plan);
  return canonicalJson(plan);
}

/**
 * Reads a serialized plan and checks its id.
 *
 * @throws ThreadfoldError `INVALID_PLAN` when the text is not a plan in normal form, or its content does not match its
 * id.
 */
export const parsePlan = (text: string): CompactionPlan => readPlan(readPlanText(text));

function readPlan(value: unknown): CompactionPlan {
  const { planId, schemaVersion: _version, ...content } = checkPlanSchema(value);
  return checkedPlan(content, planId);
}

/** Returns the plan with this content. @throws ThreadfoldError `INVALID_PLAN` when the content does not match the id. */
export function checkedPlan(content: PlanContent, planId: PlanId): CompactionPlan {
  const plan = sealAs(content, planId);
  if (plan === null) {
    throw new ThreadfoldError("INVALID_PLAN", `The content of plan ${planId} does not match its id.`, {
      hint: "The plan was changed after it was made; restore an intact copy.",
    });
  }
  return plan;
}

/**
 * Checks that a value has the shape of a plan, and returns it. Its id is not checked.
 *
 * @throws ThreadfoldError `INVALID_PLAN` when it does not match the schema.
 */
export function checkPlanSchema(value: unknown): CompactionPlan {
  const parsed = compactionPlanSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ThreadfoldError(
    "INVALID_PLAN",
    `The plan does not match its schema at ${issue?.path.join(".")}: ${issue?.message}.`,
  );
}

function readPlanText(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new ThreadfoldError("INVALID_PLAN", "The plan is not JSON.", { cause });
  }
}

/** Returns every record of a plan, strongest action first. */
export function planRecords(plan: PlanRecords): readonly PlanRecord[] {
  const records: PlanRecord[] = [];
  for (const action of STRONGEST_FIRST) for (const record of plan[RECORD_KINDS[action].list]) records.push(record);
  return records;
}

/** Sorts records into the lists of a plan. */
export function groupRecords(records: readonly PlanRecord[]): PlanRecords {
  return mapLists((_list, action) => records.filter((record) => record.action === action));
}

/**
 * Which of two records wins a message depends on the thread (a call goes with its result, a hole splits a summary), but
 * a plan must be readable without the thread. So only a plan in normal form is accepted.
 */
function requireOneRecordEach(plan: PlanRecords): void {
  for (const { action, span } of planRecords(plan)) {
    const { firstTurn, lastTurn } = span;
    if (lastTurn < firstTurn)
      throw notNormal(`a ${action} record goes from turn ${firstTurn} back to turn ${lastTurn}`);
  }
  if (standApart(plan)) return;
  const holders = new Map<MessageId, PlanRecord>();
  for (const record of planRecords(plan)) {
    for (const id of record.span.messageIds) {
      const holder = holders.get(id);
      holders.set(id, record);
      if (holder === record) throw notNormal(`a ${record.action} record names message ${id} twice`);
      if (holder === undefined) continue;
      throw notNormal(`message ${id} is in a ${holder.action} record and in another ${record.action} record`);
    }
  }
}

/** True when the positions of all records' messages are known and no two records overlap. */
function standApart(plan: PlanRecords): boolean {
  const runs: OrdinalRun[] = [];
  for (const { span } of planRecords(plan)) {
    const known = knownRunsOf(span);
    if (known === undefined) return false;
    for (const run of known) runs.push(run);
  }
  runs.sort((a, b) => a.from - b.from);
  return runs.every((run, index) => index === 0 || (runs[index - 1] as OrdinalRun).to < run.from);
}

function notNormal(problem: string): ThreadfoldError {
  return new ThreadfoldError("INVALID_PLAN", `The plan is not in normal form: ${problem}.`, {
    hint: "Bring its records into normal form with normalizePlan(records, threadShape(thread, ledger)): the stronger record wins, and what remains of the weaker is split around it.",
  });
}

/**
 * Checks that a plan has all its message ids in memory.
 *
 * @throws ThreadfoldError `HISTORY_NOT_LOADED` when ids of a record were left in the store.
 */
export function requireIds(plan: PlanRecords): void {
  if (planRecords(plan).some(({ span }) => outlineOf(span) !== undefined)) throw historyNotLoaded();
}

/** What a plan does with one message. `record` is null for `include`. */
export interface PlannedAction {
  readonly action: CompactionAction;
  readonly record: PlanRecord | null;
}

const INCLUDED: PlannedAction = Object.freeze({ action: "include", record: null });
const actionMaps = new WeakMap<PlanRecords, ActionMap>();

/** What a plan does with a run of messages. */
interface PlacedAction extends OrdinalRun {
  readonly action: PlannedAction;
}

/** What a plan does with messages: by id for the spans in `named`, by position for spans whose positions are known. */
interface ActionMap {
  readonly named: ReadonlyMap<MessageId, PlannedAction>;
  /** In thread order. */
  readonly placed: readonly PlacedAction[];
  /** True when ids of some of these messages were left in the store. */
  readonly isOutlined: boolean;
  /** The same as `placed`, by id; built when somebody asks without an ordinal. */
  byId?: ReadonlyMap<MessageId, PlannedAction>;
}

/**
 * Returns what a normalized plan does with a message. Messages that it does not name are included.
 *
 * @param ordinal the ordinal of the message; required when message ids of the plan were left in the store.
 * @throws ThreadfoldError `HISTORY_NOT_LOADED` when `ordinal` is required and missing.
 */
export function actionOf(plan: PlanRecords, messageId: MessageId, ordinal?: number): PlannedAction {
  const map = actionMap(plan);
  const found = map.named.get(messageId);
  if (found !== undefined) return found;
  if (map.placed.length === 0) return INCLUDED;
  if (ordinal !== undefined) return actionAt(map.placed, ordinal);
  if (map.isOutlined) throw historyNotLoaded();
  map.byId ??= new Map(planRecords(plan).flatMap(actionsById));
  return map.byId.get(messageId) ?? INCLUDED;
}

function actionAt(placed: readonly PlacedAction[], ordinal: number): PlannedAction {
  let [low, high] = [0, placed.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const { from, to, action } = placed[middle] as PlacedAction;
    if (ordinal < from) high = middle - 1;
    else if (ordinal > to) low = middle + 1;
    else return action;
  }
  return INCLUDED;
}

const actionsById = (record: PlanRecord): readonly (readonly [MessageId, PlannedAction])[] => {
  const action = { action: record.action, record };
  return record.span.messageIds.map((id) => [id, action] as const);
};

function actionMap(plan: PlanRecords): ActionMap {
  let map = actionMaps.get(plan);
  if (map === undefined) {
    map = makeActionMap(plan);
    actionMaps.set(plan, map);
  }
  return map;
}

function makeActionMap(plan: PlanRecords): ActionMap {
  const named = new Map<MessageId, PlannedAction>();
  const placed: PlacedAction[] = [];
  let isOutlined = false;
  for (const record of planRecords(plan)) {
    const outline = outlineOf(record.span);
    isOutlined ||= outline !== undefined;
    const outlined = outline?.runs.map(({ fromOrdinal: from, toOrdinal: to }) => ({ from, to }));
    const runs = outlined ?? knownRunsOf(record.span);
    if (runs === undefined) for (const [id, action] of actionsById(record)) named.set(id, action);
    else for (const { from, to } of runs) placed.push({ from, to, action: { action: record.action, record } });
  }
  placed.sort((a, b) => a.from - b.from);
  return { named, placed, isOutlined };
}
