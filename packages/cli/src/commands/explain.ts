import {
  type AgentThread,
  asMessageId,
  type Explanation,
  explainMessage,
  type Message,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
  visibleText,
} from "@threadfold/core";
import type { CliCommand } from "../command/cli-command.ts";
import { count, type Page, plainText, singleLine, wrap } from "../output/page.ts";
import { PLAN_OPTION, planVersion, STORE_OPTION } from "../parse/options.ts";
import { addressWord, readingStore } from "../store/store-address.ts";
import { storedPlan, storedThread } from "../store/stored-thread.ts";

/** `explain`: says why a message is, or is not, in the prompt, since when, and how to get it back. */
export const explainCommand: CliCommand = {
  arguments: [
    { name: "threadId", description: "id of the thread that has the message" },
    { name: "messageId", description: "message to explain" },
  ],
  options: [
    { flags: "--text", description: "print the message's full text and nothing else" },
    PLAN_OPTION,
    STORE_OPTION,
  ],
  examples: ["explain my-thread msg-12 --store sessions.db", "explain my-thread msg-12 --text --store sessions.db"],
  run({ arguments: [threadId = "", messageId = ""], options }, { io }) {
    const version = planVersion(options);
    return readingStore(options, io.env, async (store, address) => {
      const thread = await storedThread(store, threadId);
      const message = messageOf(thread, messageId);
      const plan = await storedPlan(store, thread.id, version);
      const explanation = explainMessage(thread, plan, message.id);
      const text = visibleText(message);
      // For a folded message, the plan gives the reason; an unfolded one may be so because a hook vetoed folding.
      const vetoes = explanation.action === "include" ? await vetoesUnder(store, thread.id, plan.version) : [];
      return {
        data: { threadId: thread.id, ...explanation, role: message.role, text, vetoes },
        text: (page) =>
          options["text"] === true
            ? shown(text, page)
            : [...explanationPage(thread, message, explanation, address, page), ...vetoLines(vetoes, page)].join("\n"),
      };
    });
  },
};

function messageOf(thread: AgentThread, messageId: string): Message {
  const message = thread.message(asMessageId(messageId));
  if (message !== undefined) return message;
  const meant = [...thread.messages].filter(({ id }) => messageId !== "" && id.startsWith(messageId)).slice(0, 3);
  throw new ThreadfoldError("MESSAGE_NOT_FOUND", `Thread ${thread.id} has no message ${messageId}.`, {
    ...(meant.length > 0 && { hint: `Did you mean ${meant.map(({ id }) => id).join(" or ")}?` }),
  });
}

/** A pipe gets the text unchanged; on a terminal, control characters are spelled out. */
const shown = (text: string, page: Page): string => (page.isTerminal ? plainText(text) : text);

const STATE: Readonly<Record<Explanation["action"], string>> = {
  include: "is in the prompt as it is",
  clear: "is in the prompt with its body cleared",
  summarize: "is not in the prompt; a summary replaces it",
  externalize: "is in the prompt as a pointer; its body is in the artifact store",
  drop: "is not in the prompt",
  "hidden-branch": "is on a side branch, which the prompt does not show",
};

function explanationPage(
  thread: AgentThread,
  message: Message,
  explanation: Explanation,
  address: string,
  { columns, paint }: Page,
): readonly string[] {
  const { action, strategy, reason, sincePlanVersion, foldedWith, recovery } = explanation;
  const place = `${message.role} message ${message.ordinal} of turn ${message.turn}, step ${message.step}`;
  const since = sincePlanVersion === null ? "" : `since plan ${sincePlanVersion}, by ${strategy}`;
  const company = foldedWith.length > 1 ? `, together with ${count(foldedWith.length - 1, "other message")}` : "";
  const artifacts = recovery.flatMap((way) => (way.from === "artifact" ? [`  artifact ${way.artifactId}`] : []));
  return [
    `${paint("bold", plainText(message.id))} (${place})`,
    `  ${STATE[action]}${since === "" ? "" : `, ${since}`}${company}.`,
    ...wrap(plainText(reason), columns - 2).map((line) => `  ${line}`),
    "",
    `  ${paint("dim", singleLine(visibleText(message), columns - 4))}`,
    "",
    paint("bold", "Get it back"),
    `  threadfold explain ${plainText(thread.id)} ${plainText(message.id)} --text --store ${addressWord(address)}`,
    ...artifacts,
  ];
}

/** A due fold that a hook of the host vetoed. */
interface Veto {
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly hook: string;
  /** Empty when the text no longer exists. */
  readonly reason: string;
}

async function vetoesUnder(store: ThreadfoldStore, threadId: ThreadId, planVersion: number): Promise<readonly Veto[]> {
  const entries = await store.journal.read(threadId);
  const vetoes = entries.flatMap(({ at, record }) =>
    record.type === "fold-vetoed" && record.planVersion === planVersion ? [{ at, ...record }] : [],
  );
  return Promise.all(
    vetoes.map(async ({ at, hook, reason }) => {
      return { at, hook, reason: (await store.artifacts.retrieve(reason))?.content ?? "" };
    }),
  );
}

function vetoLines(vetoes: readonly Veto[], { columns, paint }: Page): readonly string[] {
  const newest = vetoes.at(-1);
  if (newest === undefined) return [];
  const said = `${count(vetoes.length, "fold")} due under this plan and vetoed. The newest, at ${newest.at}, by the hook ${plainText(newest.hook)}: ${plainText(newest.reason)}`;
  return ["", paint("bold", "Why it is not folded"), ...wrap(said, columns - 2).map((line) => `  ${line}`)];
}
