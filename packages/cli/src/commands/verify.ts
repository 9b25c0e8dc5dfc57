import {
  asThreadId,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
  type UnsourcedItem,
  unsourcedInPlan,
} from "@threadfold/core";
import { type StoreFinding, segmentPlaces, verifySince, verifyStore } from "@threadfold/stores";
import type { CliCommand } from "../command/cli-command.ts";
import { count, type Page, plainText, singleLine } from "../output/page.ts";
import { checkpointOption, PUBLIC_KEY_OPTION, publicKeyOption, SINCE_OPTION, STORE_OPTION } from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { onStoredThread } from "../store/stored-thread.ts";

const WAY_OUT = "Restore an intact copy of the store.";
const WAY_OUT_OF_SEGMENT = "Restore an intact copy of the segment that the finding names; the store needs none.";

/**
 * `verify`: checks the hashes of log, plans, journal and artifacts, and lists statements in summaries of the newest
 * plans that are presented as a user's but that no message supports. These are not damage, so they do not affect the
 * exit code.
 */
export const verifyCommand: CliCommand = {
  arguments: [{ name: "threadId", description: "id of the thread to check (default: all of them)", optional: true }],
  options: [SINCE_OPTION, PUBLIC_KEY_OPTION, STORE_OPTION],
  examples: [
    "verify --store sessions.db",
    "verify my-thread --store sessions.db --json",
    "verify --since checkpoint.json --public-key auditor.pem",
  ],
  async run({ arguments: [threadId], options }, { io }) {
    const since = checkpointOption(options);
    const publicKey = publicKeyOption(options);
    if (publicKey !== undefined && since === undefined)
      throw new ThreadfoldError("USAGE", "--public-key is given without --since, whose checkpoint it is for.");
    return openable(() =>
      readingStore(options, io.env, async (store) => {
        const { signal } = io;
        const visited = new Set<ThreadId>();
        const segments: CheckedSegments = { read: [], unreached: [] };
        const check = (checked?: ThreadId) => {
          visited.clear();
          return verifyStore(store, checked, {
            ...{ signal, onThread: (id) => void visited.add(id), segments: segmentPlaces() },
            onSegment: ({ threadId: id }, isReached) => void segments[isReached ? "read" : "unreached"].push(id),
          });
        };
        const intact = await (threadId === undefined ? check() : onStoredThread(store, threadId, check));
        const threads = [...visited];
        const grown = since === undefined ? [] : await verifySince(store, since, publicKey, signal);
        const findings = [...intact, ...grown];
        // Damaged threads are not read any further.
        const unsourced = findings.length > 0 ? [] : await unsourcedInStore(store, threads, signal);
        const report = {
          data: { threads, findings, unsourced, segments },
          text: (page: Page) =>
            [verifyPage(threads, findings, unsourced, page), ...segmentLines(segments, page)].join("\n"),
        };
        const [first] = findings;
        if (first === undefined) return report;
        const message = `${count(findings.length, "finding")}; the first is in ${describe(first)}`;
        return {
          ...report,
          failure: new ThreadfoldError("STORE_CORRUPT", message, { hint: wayOut(findings) }),
        };
      }),
    );
  },
};

const wayOut = (findings: readonly StoreFinding[]): string =>
  findings.every(({ family }) => family === "segment") ? WAY_OUT_OF_SEGMENT : WAY_OUT;

/** Replaces the hint of the error for a store too damaged to open, which would tell the user to run `verify`. */
async function openable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (!ThreadfoldError.isInstance(cause) || cause.code !== "STORE_CORRUPT") throw cause;
    throw new ThreadfoldError(cause.code, cause.message, { hint: WAY_OUT, details: cause.details, cause });
  }
}

function verifyPage(
  threads: readonly ThreadId[],
  findings: readonly StoreFinding[],
  unsourced: readonly UnsourcedNote[],
  { paint, columns }: Page,
): string {
  if (findings.length > 0)
    return findings.map((finding) => `${paint("red", "bad:")} ${plainText(describe(finding))}`).join("\n");
  const intact = `${paint("green", "intact:")} ${count(threads.length, "thread")}, log, plans, journal and artifacts.`;
  if (unsourced.length === 0) return intact;
  const lines = unsourced.map(
    ({ threadId, planVersion, section, text }) =>
      `  ${singleLine(`${threadId}, plan ${planVersion}, ${section}: ${text}`, columns - 2)}`,
  );
  return [
    intact,
    `${paint("yellow", "unsourced:")} ${count(unsourced.length, "item")} that no user or system message bears out; prompts show them as the agent's notes.`,
    ...lines,
  ].join("\n");
}

/** Archived threads, by whether their segment could be read. */
interface CheckedSegments {
  readonly read: ThreadId[];
  readonly unreached: ThreadId[];
}

function segmentLines({ read, unreached }: CheckedSegments, { paint }: Page): readonly string[] {
  if (unreached.length > 0) {
    const which = plainText(unreached.join(", "));
    return [`${paint("yellow", "not reached:")} ${count(unreached.length, "segment")} of archived threads: ${which}.`];
  }
  return read.length === 0 ? [] : [`Of these, ${count(read.length, "thread")} in segments, which were read too.`];
}

function describe({ family, threadId, at, problem }: StoreFinding): string {
  const thread = threadId === null ? "" : ` of thread ${threadId}`;
  return `${family}${thread}${at === null ? "" : ` at ${at}`}: ${problem}`;
}

/** An item of a thread's newest plan that is presented as a user's statement but that no message supports. */
interface UnsourcedNote {
  readonly threadId: ThreadId;
  readonly planVersion: number;
  readonly section: UnsourcedItem["section"];
  readonly itemId: string;
  readonly text: string;
  /** The messages that the item cites. */
  readonly sources: readonly string[];
}

/** Returns the unsourced items of each thread's newest plan. @throws what the store throws. */
async function unsourcedInStore(
  store: ThreadfoldStore,
  threads: readonly string[],
  signal?: AbortSignal,
): Promise<readonly UnsourcedNote[]> {
  const notes: UnsourcedNote[] = [];
  for (const id of threads) {
    signal?.throwIfAborted();
    notes.push(...(await unsourcedInThread(store, asThreadId(id))));
  }
  return notes;
}

async function unsourcedInThread(store: ThreadfoldStore, threadId: ThreadId): Promise<readonly UnsourcedNote[]> {
  try {
    const { plan, version } = await store.plans.getCurrentPlan(threadId);
    const thread = plan === null || plan.summarizations.length === 0 ? null : await store.threads.load(threadId);
    if (plan === null || thread === null) return [];
    const unsourced = unsourcedInPlan(plan, (messageId) => thread.message(messageId));
    return unsourced.map((item) => noteOf(item, threadId, version));
  } catch (error) {
    // The thread's summaries were erased with it, or are in its segment, which has been checked.
    if (ThreadfoldError.isInstance(error) && NOT_READ.has(error.code)) return [];
    throw error;
  }
}

const NOT_READ: ReadonlySet<string> = new Set(["CONTENT_ERASED", "THREAD_ARCHIVED"]);

function noteOf(unsourced: UnsourcedItem, threadId: ThreadId, planVersion: number): UnsourcedNote {
  const { section, item } = unsourced;
  const text = unsourced.section === "openItems" ? unsourced.item.description : unsourced.item.text;
  return { threadId, planVersion, section, itemId: item.id, text, sources: item.sources };
}
