import {
  type Message,
  SEALED_PREFIX,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadInfo,
  typedText,
  visibleText,
} from "@threadfold/core";
import { threadTitle } from "@threadfold/stores";
import { type CliCommand, NDJSON_OPTION } from "../command/cli-command.ts";
import { type Page, plainText, singleLine, table, widestCell } from "../output/page.ts";
import { STORE_OPTION } from "../parse/options.ts";
import { readingStore } from "../store/store-address.ts";
import { isSealed, storedThreads } from "../store/stored-thread.ts";

/** A thread as listed by `threads`. */
interface ListedThread extends ThreadInfo {
  /** The assigned title, or else the first request as a single line; null when neither exists or can be read. */
  readonly title: string | null;
  /** True when what it says is sealed with keys, which the command does not have. */
  readonly sealed: boolean;
}

/** `threads`: lists the threads of a store. */
export const threadsCommand: CliCommand = {
  arguments: [],
  options: [
    { flags: "--titles", description: "print only ids and titles, separated by a tab" },
    NDJSON_OPTION,
    STORE_OPTION,
  ],
  examples: ["threads --store sessions.db", "threads --store sessions.db --quiet", "threads --titles"],
  run({ options }, { io }) {
    return readingStore(options, io.env, async (store) => {
      const threads: ListedThread[] = [];
      for (const info of await storedThreads(store)) threads.push({ ...info, ...(await titleOf(store, info)) });
      return {
        data: { threads },
        items: threads,
        text: (page) => (options["titles"] === true ? titleLines(threads) : threadsPage(threads, page)),
        brief:
          options["titles"] === true
            ? titleLines(threads)
            : threads.map(({ threadId }) => plainText(threadId)).join("\n"),
      };
    });
  },
};

/** How many entries of a thread are searched for its first request. */
const LOOKED_AT = 20;

/** Maximum length of a title, in UTF-16 code units. */
const LONGEST_TITLE = 200;

/** What asks the model for nothing: a command that controls the agent's program, such as `/model`, and notes of such. */
const NO_REQUEST = /^(?:\/[a-z][\w:-]*$|Caveat: The messages below|# AGENTS\.md instructions)/i;

/** Tags around what programs add to the words of a user, in lower case. */
const ADDED: ReadonlySet<string> = new Set(
  [
    "context attachment attachments instructions reminderinstructions editorcontext repocontext workspace_info rules skill",
    "environment_context environment_details user_instructions user_info system-reminder permissions turn_aborted",
    "file_content folder_content url_content uploaded_files attached_files additional_data workspace_diagnostics",
    "git_working_state open_and_recently_viewed_files ide_opened_file ide_selection ide_diagnostics task-notification",
    "subagent_notification local-command-stdout local-command-stderr local-command-caveat bash-stdout bash-stderr",
    "mode_notice environment_notice hook_context",
  ].flatMap((names) => names.split(" ")),
);
const ADDED_BELOW = new RegExp(`\\n[ \\t]*<(?:${[...ADDED].join("|")})[\\s>]`, "i");

/** Tags that programs and prompts put around the words themselves. Other markup is the user's own. */
const WRAPPING = /^(?:userRequest|bash-input|[a-z]+(?:_[a-z]+)+)$/;
const OPENING_TAG = /^<([a-z][\w-]{0,60})(?:\s[^<>\n]{0,300})?>/i;

/** Where an editor puts the words below what it adds. */
const BELOW_EDITOR = /^# (?:Context from my IDE setup|Files mentioned by the user):[\s\S]*?\n#+ My request for Codex:/;
/** A command as Claude Code writes it: its name, and what the user typed behind it. */
const COMMAND = /^(?=<command-)[\s\S]*?<command-name>([^<]*)</;
const COMMAND_ARGUMENTS = /<command-args>([^<]*)</;

/** Returns what the user asked for in a message, without what programs put around it and into it. */
function requestIn(message: Message): string {
  let text = typedText(message).replace(BELOW_EDITOR, "").trim();
  const [, command] = COMMAND.exec(text) ?? [];
  if (command !== undefined) return `${command} ${COMMAND_ARGUMENTS.exec(text)?.[1] ?? ""}`.trim();
  for (let tag = OPENING_TAG.exec(text); tag !== null; tag = OPENING_TAG.exec(text)) {
    const [opening, name = ""] = tag;
    const close = text.indexOf(`</${name}>`);
    const [within, below] =
      close < 0 ? ["", ""] : [text.slice(opening.length, close), text.slice(close + name.length + 3)];
    if (ADDED.has(name.toLowerCase())) text = below.trim();
    else if (WRAPPING.test(name) && close >= 0) text = (within.trim() === "" ? below : within).trim();
    else break;
  }
  return text.split(ADDED_BELOW, 1)[0] ?? "";
}

const titleLines = (threads: readonly ListedThread[]): string =>
  threads.map(({ threadId, title }) => `${plainText(threadId)}\t${singleLine(title ?? "", LONGEST_TITLE)}`).join("\n");

async function titleOf(store: ThreadfoldStore, info: ThreadInfo): Promise<Pick<ListedThread, "title" | "sealed">> {
  const title = await readableTitle(store, info);
  // Only what looks like an envelope is worth another read.
  const sealed =
    title?.startsWith(SEALED_PREFIX) === true && (await readable(() => isSealed(store, info.threadId))) === true;
  return { title: sealed ? null : title, sealed };
}

async function readableTitle(store: ThreadfoldStore, info: ThreadInfo): Promise<string | null> {
  const own = await readable(() => threadTitle(store, info.threadId));
  if (own !== undefined && own !== null) return own;
  const said = (await firstMessages(store, info)).filter(
    ({ role, origin, branch }) => role === "user" && origin === undefined && branch === undefined,
  );
  const requests = said.map((message) => singleLine(requestIn(message), LONGEST_TITLE)).filter((text) => text !== "");
  const request = requests.find((text) => !NO_REQUEST.test(text)) ?? requests[0];
  const words = () =>
    said.map((message) => singleLine(visibleText(message), LONGEST_TITLE)).find((text) => text !== "");
  return request ?? words() ?? null;
}

async function firstMessages(
  { ranges, threads }: ThreadfoldStore,
  { threadId, version }: ThreadInfo,
): Promise<readonly Message[]> {
  const toVersion = Math.min(LOOKED_AT, version);
  const found = await readable(async () => {
    if (ranges === undefined) return [...((await threads.load(threadId, { atVersion: toVersion }))?.messages ?? [])];
    const entries = await ranges.loadRange(threadId, { fromVersion: 0, toVersion });
    return entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  });
  return found ?? [];
}

/** Threads that are sealed, erased or damaged are still listed, with undefined here: `verify` says what is wrong. */
async function readable<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (ThreadfoldError.isInstance(error) && error.code !== "STORE_UNAVAILABLE") return undefined;
    throw error;
  }
}

/**
 * Ids up to this length are shown in full; longer ones are cut to their shortest unique prefix of at least this length.
 */
const SHORTEST_ID = 12;

/** Returns what to show of each id. In sorted order, the id that has most in common with another is next to it. */
export function shortThreadIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = ids.toSorted();
  return new Map(
    sorted.map((id, index) => {
      const shared = Math.max(...[sorted[index - 1], sorted[index + 1]].map((other) => sharedLength(id, other)));
      return [id, id.slice(0, Math.max(SHORTEST_ID, shared + 1))];
    }),
  );
}

function sharedLength(id: string, other = ""): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length++;
  return length;
}

function shownTitle({ title, sealed, archivedAt }: ListedThread, most: number): string {
  if (archivedAt !== undefined) return "(archived)";
  if (sealed) return "(sealed)";
  return title === null ? "-" : singleLine(title, most);
}

/** Minimum width of a title, however narrow the page is. */
const NARROWEST_TITLE = 20;

function threadsPage(threads: readonly ListedThread[], { paint, columns }: Page): string {
  if (threads.length === 0) return "The store holds no thread.";
  const short = shortThreadIds(threads.map(({ threadId }) => threadId));
  const rows = threads.map(({ threadId, version, planVersion, updatedAt }) => [
    plainText(short.get(threadId) ?? threadId),
    String(version),
    planVersion === 0 ? "-" : String(planVersion),
    updatedAt.slice(0, "2026-11-01T10:00".length).replace("T", " "),
  ]);
  const alignments = ["left", "right", "right", "left", "left"] as const;
  const head = ["thread", "entries", "plan", "changed (UTC)"];
  const widths = head.map((_, column) => widestCell([head, ...rows], column));
  const room = columns - widths.reduce((sum, width) => sum + width + "  ".length, 0);
  const titled = threads.map((thread, index) => [
    ...(rows[index] ?? []),
    shownTitle(thread, Math.max(NARROWEST_TITLE, room)),
  ]);
  const [top = "", ...lines] = table([[...head, "title"], ...titled], alignments);
  return [paint("bold", top), ...lines].join("\n");
}
