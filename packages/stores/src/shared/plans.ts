import {
  type CompactionPlan,
  type CompactionStore,
  canonicalJson,
  expandPlanInSteps,
  freezeDeep,
  isAbridgedPlan,
  isSealed,
  isSealedText,
  type MessageId,
  type MessagePlace,
  type MessageRun,
  type PlacedMessage,
  type PlanInfo,
  parsePlan,
  planRecords,
  runsOfAbridged,
  runsOfSpan,
  type SpanReference,
  type Steps,
  spanEnd,
  spellOutPlan,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";

/**
 * Checks a plan before anything is looked up: schema, id, thread and version.
 *
 * @returns the plan, frozen.
 *
 * @throws ThreadfoldError `INVALID_PLAN`.
 */
export function admitPlan(threadId: ThreadId, candidate: CompactionPlan, expectedVersion: number): CompactionPlan {
  const plan = isSealed(candidate) ? candidate : freezeDeep(parsePlan(canonicalJson(candidate)));
  if (plan.threadId !== threadId) throw refusal(threadId, plan, "it is a plan of another thread");
  if (!Number.isSafeInteger(expectedVersion) || expectedVersion < 0 || plan.version !== expectedVersion + 1) {
    throw refusal(threadId, plan, `it has version ${plan.version} but would follow version ${String(expectedVersion)}`);
  }
  return plan;
}

/** Checks whether a plan is as an encrypted store passes it on: every record's only text is an envelope. */
export const isSealedPlan = (plan: CompactionPlan): boolean =>
  planRecords(plan).every(({ reason }) => isSealedText(reason));

/**
 * Checks that the thread has everything that a plan names, in the order in which the plan names it. What a plan took
 * over from the previous one in this process is not looked up again, except for its {@link borderIds}.
 *
 * @param placeOf returns the place of a message in the thread, if it has one.
 * @throws ThreadfoldError `INVALID_PLAN`.
 */
export function requireKnownMessages(
  plan: CompactionPlan,
  currentVersion: number,
  placeOf: (id: MessageId) => MessagePlace | undefined,
): void {
  if (plan.threadVersion > currentVersion) {
    throw refusal(plan.threadId, plan, `it covers ${plan.threadVersion} entries, but the thread has ${currentVersion}`);
  }
  const isPlaced = (span: SpanReference): boolean =>
    runsOfSpan(span, (id) => placeOf(id)?.ordinal) !== undefined &&
    (placeOf(spanEnd(span)) as MessagePlace).version <= plan.threadVersion;
  const { unknown, disordered } = misplacedMessages(plan, (id) => placeOf(id)?.version, isPlaced);
  if (unknown !== undefined) {
    throw refusal(plan.threadId, plan, `the thread has no message ${unknown} at version ${plan.threadVersion}`);
  }
  if (disordered === undefined) return;
  throw refusal(plan.threadId, plan, `a record names message ${disordered} after one that is newer`);
}

/**
 * Returns the first message that a plan names but the thread did not have at the plan's thread version.
 *
 * @param versionOf returns the version at which a message was added to the thread, if it was: larger for newer
 * messages.
 */
export const firstUnknownMessage = (
  plan: CompactionPlan,
  versionOf: (id: MessageId) => number | undefined,
): MessageId | undefined => misplacedMessages(plan, versionOf, () => false).unknown;

/** @param isPlaced true for a span whose messages are known to be in the thread, and in order. */
function misplacedMessages(
  plan: CompactionPlan,
  versionOf: (id: MessageId) => number | undefined,
  isPlaced: (span: SpanReference) => boolean,
): { readonly unknown?: MessageId; readonly disordered?: MessageId } {
  let disordered: MessageId | undefined;
  for (const record of planRecords(plan)) {
    if (isPlaced(record.span)) continue;
    let former = 0;
    for (const id of record.span.messageIds) {
      const version = versionOf(id);
      if (version === undefined || version > plan.threadVersion) return { unknown: id };
      if (version < former) disordered ??= id;
      former = version;
    }
  }
  return disordered === undefined ? {} : { disordered };
}

function refusal(threadId: ThreadId, plan: CompactionPlan, reason: string): ThreadfoldError {
  return new ThreadfoldError(
    "INVALID_PLAN",
    `Plan ${plan.planId} cannot be committed to thread ${threadId}: ${reason}.`,
    {
      hint: "Load the thread and its current plan, and fold again.",
      details: { threadId, planId: plan.planId, version: plan.version },
    },
  );
}

/** Returns a plan without its records. */
export function planInfo(plan: CompactionPlan): PlanInfo {
  const { planId, version, threadVersion, createdAt, originalTokens, compactedTokens } = plan;
  return Object.freeze({ planId, version, threadVersion, createdAt, originalTokens, compactedTokens });
}

/** Returns the version of a thread's newest plan, without reading the plan if the store supports that. */
export async function currentVersion(plans: CompactionStore, threadId: ThreadId): Promise<number> {
  return plans.getCurrentVersion?.(threadId) ?? (await plans.getCurrentPlan(threadId)).version;
}

/** A plan as stored. */
export interface PlanRow {
  readonly version: number;
  /** Canonical JSON of the plan, or its abridged form. */
  readonly body: string;
}

/** Returns the plan in a row with all its ids, whichever form it was stored in. @throws as {@link planOf} does. */
export function* wholePlanInSteps(
  row: PlanRow,
  threadId: ThreadId,
  messagesOf: (run: MessageRun) => readonly PlacedMessage[],
): Steps<CompactionPlan> {
  try {
    const { body } = row;
    const plan = isAbridgedPlan(body) ? yield* expandPlanInSteps(body, messagesOf) : parsePlan(body);
    return planInRow(plan, row, threadId);
  } catch (cause) {
    throw unreadable(row, threadId, cause);
  }
}

/** Returns the plan in a row. @throws ThreadfoldError `STORE_CORRUPT` when it cannot be read, or is another plan. */
export function planOf(row: PlanRow, threadId: ThreadId, read: (body: string) => CompactionPlan): CompactionPlan {
  try {
    return planInRow(read(row.body), row, threadId);
  } catch (cause) {
    throw unreadable(row, threadId, cause);
  }
}

function planInRow(plan: CompactionPlan, { version }: PlanRow, threadId: ThreadId): CompactionPlan {
  if (plan.version === version && plan.threadId === threadId) return plan;
  throw new ThreadfoldError("STORE_CORRUPT", `Plan ${version} of thread ${threadId} is stored as a different plan.`, {
    details: { threadId, version },
  });
}

function unreadable({ version }: PlanRow, threadId: ThreadId, cause: unknown): ThreadfoldError {
  if (ThreadfoldError.isInstance(cause) && cause.code === "STORE_CORRUPT") return cause;
  const where = `Plan ${version} of thread ${threadId}`;
  return new ThreadfoldError("STORE_CORRUPT", `${where} cannot be read.`, { cause, details: { threadId, version } });
}

/**
 * Returns a plan's row with every id in its body, for verification. A body that cannot be expanded is left unchanged.
 */
export function spelledOut<Row extends { readonly body: string | null }>(
  row: Row,
  messagesOf: (run: MessageRun) => readonly PlacedMessage[],
): Row {
  if (row.body === null || !isAbridgedPlan(row.body)) return row;
  try {
    return { ...row, body: spellOutPlan(row.body, messagesOf) };
  } catch {
    return row;
  }
}

/** The entries of a log from one version to another, both inclusive. */
export type LogPart = Pick<MessageRun, "fromVersion" | "toVersion">;

/** A message of a log with its id and its places. */
export interface LoggedMessage extends PlacedMessage {
  /** The thread's version with the message. */
  readonly version: number;
}

/**
 * The messages that a thread's plans hide without naming them, each read from the store once. A plan hides most of what
 * the previous one hid, so they would otherwise be read once for each plan.
 */
export class HiddenMessages {
  #messages: LoggedMessage[] = [];
  /** The part of the log that was read. */
  #fromVersion = Number.POSITIVE_INFINITY;
  #toVersion = 0;

  /** Returns the part of the log that must be read before a plan's runs are known; null for none. */
  unread(runs: readonly MessageRun[]): LogPart | null {
    let [fromVersion, toVersion] = [Number.POSITIVE_INFINITY, 0];
    for (const run of runs) {
      fromVersion = Math.min(fromVersion, run.fromVersion);
      toVersion = Math.max(toVersion, run.toVersion);
    }
    if (fromVersion < this.#fromVersion) return { fromVersion, toVersion };
    return toVersion > this.#toVersion ? { fromVersion: this.#toVersion + 1, toVersion } : null;
  }

  /** Adds the messages of a part that was unread, in order. */
  add(messages: readonly LoggedMessage[], { fromVersion, toVersion }: LogPart): void {
    if (fromVersion !== this.#toVersion + 1 || this.#messages.length === 0) {
      this.#messages = [];
      this.#fromVersion = fromVersion;
    }
    for (const message of messages) this.#messages.push(message);
    this.#toVersion = toVersion;
  }

  /** Returns the messages in a part of the log. */
  in({ fromVersion, toVersion }: MessageRun): readonly LoggedMessage[] {
    return this.#messages.slice(this.#firstFrom(fromVersion), this.#firstFrom(toVersion + 1));
  }

  #firstFrom(version: number): number {
    let [low, high] = [0, this.#messages.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#messages[middle] as LoggedMessage).version < version) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Returns the parts of the log that a plan's body covers without naming them. Empty when the body is damaged: reading
 * the plan reports that.
 */
export function readableRuns(body: string): readonly MessageRun[] {
  try {
    return isAbridgedPlan(body) ? runsOfAbridged(body) : [];
  } catch {
    return [];
  }
}
