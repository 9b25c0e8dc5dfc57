import { ThreadfoldError, type ThreadfoldStore } from "@threadfold/core";
import {
  type ArchiveReceipt,
  archiveThread,
  archiveThreads,
  type RefusedThread,
  unarchiveThread,
} from "@threadfold/stores";
import type { CliCall, CliCommand, CliContext } from "../command/cli-command.ts";
import { count, figure, type Page, plainText } from "../output/page.ts";
import { STORE_OPTION } from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { storedThreadId, storedThreads } from "../store/stored-thread.ts";

interface Outcome {
  readonly archived: readonly ArchiveReceipt[];
  readonly refused: readonly RefusedThread[];
}

/** `archive`: moves threads out of the store into sealed segments. */
export const archiveCommand: CliCommand = {
  arguments: [{ name: "threadId", description: "id of the thread (or give --older-than)", optional: true }],
  options: [
    { flags: "--to <place>", description: "folder, or s3://bucket/prefix?region=...&endpoint=..." },
    {
      flags: "--older-than <time>",
      description: "all threads to which nothing has been added for this long, such as 90d",
    },
    {
      flags: "--still-for <time>",
      description: "refuse a thread to which something was added within this time, such as 30m",
      fallback: "1h",
    },
    STORE_OPTION,
  ],
  examples: [
    "archive my-thread --to /mnt/cold --store sessions.db",
    "archive --older-than 90d --to s3://my-bucket/threads?region=eu-central-1",
  ],
  run({ arguments: [threadId], options }, context) {
    const { to, olderThan } = options;
    if (typeof to !== "string" || to === "")
      throw new ThreadfoldError("USAGE", "archive needs --to <place> to put segments in.");
    if ((threadId === undefined) === (olderThan === undefined))
      throw new ThreadfoldError("USAGE", "archive needs either the id of a thread or --older-than <time>, not both.");
    const { io } = context;
    return readingStore(options, io.env, async (store) => {
      const how = { to, clock: io.clock, signal: io.signal };
      const outcome: Outcome =
        threadId === undefined
          ? await archiveOld(store, { ...how, olderThanMs: duration("--older-than", olderThan) }, context)
          : { archived: [await archiveOne(store, threadId, how, options)], refused: [] };
      return { data: outcome, text: (page) => archivePage(outcome, page) };
    });
  },
};

type How = Omit<Parameters<typeof archiveThread>[2], "stillForMs">;

async function archiveOne(
  store: ThreadfoldStore,
  threadId: string,
  how: How,
  options: CliCall["options"],
): Promise<ArchiveReceipt> {
  const stillForMs = duration("--still-for", options["stillFor"]);
  return archiveThread(store, await storedThreadId(store, threadId), { ...how, stillForMs });
}

async function archiveOld(
  store: ThreadfoldStore,
  how: How & { readonly olderThanMs: number },
  { progress }: CliContext,
): Promise<Outcome> {
  const all = (await storedThreads(store)).length;
  let seen = 0;
  return archiveThreads(store, {
    ...how,
    onThread: () => progress.update("archiving", Math.min(1, ++seen / Math.max(all, 1))),
  });
}

const MILLISECONDS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as `90d` to milliseconds. @throws ThreadfoldError `USAGE`. */
function duration(option: string, given: CliCall["options"][string]): number {
  const [, digits, unit = ""] = /^(\d{1,6})([smhd])$/.exec(String(given)) ?? [];
  const milliseconds = MILLISECONDS[unit];
  if (digits !== undefined && milliseconds !== undefined) return Number(digits) * milliseconds;
  throw new ThreadfoldError(
    "USAGE",
    `${option} is ${JSON.stringify(given)}; it must be a time such as 90d, 12h or 30m.`,
  );
}

function archivePage({ archived, refused }: Outcome, { paint }: Page): string {
  if (archived.length + refused.length === 0) return "No thread has been idle for that long.";
  const lines = archived.map(
    ({ threadId, lines: rows, bytes, place, root }) =>
      `${paint("green", "archived:")} thread ${plainText(threadId)}, ${count(rows, "line")}, ${figure(bytes)} bytes in ${plainText(place)}, root ${root}.`,
  );
  const left = refused.map(({ message }) => `${paint("yellow", "skipped:")} ${plainText(message)}`);
  return [...lines, ...left].join("\n");
}

/** `unarchive`: puts an archived thread back into the store. */
export const unarchiveCommand: CliCommand = {
  arguments: [{ name: "threadId", description: "id of the thread" }],
  options: [STORE_OPTION],
  examples: ["unarchive my-thread --store sessions.db", "unarchive my-thread --json"],
  run({ arguments: [threadId = ""], options }, { io }) {
    return readingStore(options, io.env, async (store) => {
      const receipt = await unarchiveThread(store, await storedThreadId(store, threadId), { signal: io.signal });
      return {
        data: receipt,
        text: ({ paint }) =>
          `${paint("green", "restored:")} thread ${plainText(receipt.threadId)}, ${count(receipt.lines, "line")}; its segment is gone.`,
      };
    });
  },
};
