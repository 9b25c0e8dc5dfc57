import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { asMessageId, asThreadId } from "../model/ids.ts";
import type { MessageInput } from "../model/message.ts";
import type { RecallIndex } from "../ports/recall-index.ts";
import type { RecallRequest } from "../recall/recall-search.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import type { Law } from "./law.ts";
import { user } from "./messages.ts";

/** An index that a law is tried on. */
export interface RecallTrial {
  /** An index without any thread of the laws. */
  readonly index: RecallIndex;
  /** Stores a thread where the index can read it, before it is indexed. Omit it when indexing alone is enough. */
  keep?(thread: AgentThread): Promise<void>;
  /** Called when the law is done with the index. */
  close?(): Promise<void>;
}

const START = Date.UTC(2025, 0, 1);

function said(number: number, text: string, more: Partial<MessageInput> = {}): MessageInput {
  const createdAt = new Date(START + number * 60_000).toISOString();
  return { ...user(`m${number}`, text, { createdAt }), ...more };
}

const threadOf = (messages: readonly MessageInput[], id = "recalled"): AgentThread =>
  AgentThread.empty(asThreadId(id)).append(messages);

type Keep = (thread: AgentThread) => Promise<void>;

interface RecallCheck {
  readonly name: string;
  broken(index: RecallIndex, keep: Keep): Promise<string | null>;
}

async function fill(index: RecallIndex, keep: Keep, thread: AgentThread): Promise<AgentThread> {
  await keep(thread);
  await index.index(thread.id, thread.messages);
  return thread;
}

async function idsFor(index: RecallIndex, thread: AgentThread, request: RecallRequest): Promise<readonly string[]> {
  return (await index.search(thread.id, request)).hits.map(({ messageId }) => messageId);
}

/** Returns how the hits differ from those expected; null when they are equal. */
function unlike(what: string, found: readonly string[], expected: readonly string[]): string | null {
  return found.join(" ") === expected.join(" ")
    ? null
    : `${what}: found ${found.join(" ") || "nothing"}, not ${expected.join(" ") || "nothing"}`;
}

const firstOf = (problems: readonly (string | null)[]): string | null =>
  problems.find((problem) => problem !== null) ?? null;

/** Sentences in languages that users write, and words that must find them although they occur there in another form. */
const SENTENCES: readonly (readonly [text: string, queries: readonly string[]])[] = [
  ["Die Verbindung zur Datenbank ist nicht stabil", ["Verbindungen", "stabile Datenbanken"]],
  ["La requête au serveur est coupée dans la nuit", ["requêtes", "serveurs"]],
  ["La conexión con el servidor no es estable por la noche", ["conexiones"]],
  ["A porta do programa não está aberta durante a noite", ["portas"]],
  ["Il collegamento con la rete non è stabile di notte", ["collegamenti"]],
  ["De verbinding met het netwerk is niet stabiel", ["verbindingen", "netwerken"]],
  ["Подключение к базе данных нестабильно", ["подключения", "нестабильное"]],
];

/** Names in many notations, and words that must find them. */
const NAMES: readonly (readonly [text: string, queries: readonly string[]])[] = [
  ["/srv/app/src/http/retry_policy.ts", ["retry_policy.ts", "src/http/retry_policy.ts", "retry", "POLICY"]],
  ["class ConcurrentSessionChecker", ["concurrentsessionchecker", "session checker", "ConcurrentSession"]],
  ["parseHTTPResponse2xx", ["parseHTTPResponse2xx", "http response"]],
  ["os.environ.VLLM_LOGGING_LEVEL", ["VLLM_LOGGING_LEVEL", "logging level", "os.environ.VLLM_LOGGING_LEVEL"]],
  ["error TS2345 and ERR_MODULE_NOT_FOUND", ["TS2345", "err_module_not_found", "module found"]],
  ["commit 6032533cbb0b6d3a9bbce82a1af4b20f679eafd0", ["6032533cbb0b6d3a9bbce82a1af4b20f679eafd0", "6032533"]],
  ["請先更新資料庫的連線設定", ["資料庫", "連線"]],
  ["データベースを更新する", ["更新", "データベース"]],
  ["데이터베이스를 고친다", ["데이터베이스"]],
  ["Ærøskøbing ÉCLAIR Straße", ["ærøskøbing", "éclair", "straße"]],
  ['{"cmd":"cat a.txt\\nsrc/late.py"}', ["src/late.py"]],
];

const CHECKS: readonly RecallCheck[] = [
  {
    name: "C6 what was said is found by its words, whatever their case, with its origin, word for word",
    async broken(index, keep) {
      const text = "a line before\nThe Deploy Token is kept in Vault\na line after";
      const thread = await fill(index, keep, threadOf([said(0, "hello"), said(1, text), said(2, "deploy nothing")]));
      const { hits, total } = await index.search(thread.id, { text: "VAULT token" });
      const [hit] = hits;
      if (hit === undefined || total !== 1) return `found ${total}`;
      const { ordinal, turn, role, start, end, length, excerpt, createdAt } = hit;
      const place = JSON.stringify([hit.messageId, ordinal, turn, role, start, end, length, createdAt]);
      const right = JSON.stringify(["m1", 1, 2, "user", 0, text.length, text.length, thread.messageAt(1)?.createdAt]);
      if (place !== right) return `${place} is not ${right}`;
      return excerpt === text ? null : `the excerpt is ${excerpt}`;
    },
  },
  {
    name: "names are found as a whole and by their parts, in any script",
    async broken(index, keep) {
      const thread = await fill(index, keep, threadOf(NAMES.map(([text], number) => said(number, text))));
      const problems: (string | null)[] = [];
      for (const [number, [, queries]] of NAMES.entries())
        for (const text of queries) {
          const [best] = await idsFor(index, thread, { text });
          problems.push(unlike(text, best === undefined ? [] : [best], [`m${number}`]));
        }
      return firstOf(problems);
    },
  },
  {
    name: "words of other languages are found in their other forms",
    async broken(index, keep) {
      const thread = await fill(index, keep, threadOf(SENTENCES.map(([text], number) => said(number, text))));
      const problems: (string | null)[] = [];
      for (const [number, [, queries]] of SENTENCES.entries())
        for (const text of queries) {
          const found = await idsFor(index, thread, { text });
          problems.push(unlike(text, found.slice(0, 1), [`m${number}`]));
        }
      return firstOf(problems);
    },
  },
  {
    name: "text without spaces is found by its words before what only has the same characters",
    async broken(index, keep) {
      const thread = await fill(index, keep, threadOf([said(0, "更新資料庫的連線"), said(1, "資料、料庫、更新")]));
      return unlike("資料庫", await idsFor(index, thread, { text: "資料庫" }), ["m0", "m1"]);
    },
  },
  {
    name: "the other messages of its turn count toward a message's match, and what may not be found counts for nothing",
    async broken(index, keep) {
      const agent = { role: "assistant" } as const;
      const messages = [
        said(0, "which port has the gateway"),
        said(1, "that port is 8443 here", agent),
        said(2, "how is the weather"),
        said(3, "that port is 9000 here", agent),
      ];
      const thread = await fill(index, keep, threadOf(messages));
      const search = (part: Partial<RecallRequest>) => idsFor(index, thread, { text: "gateway port", ...part });
      return firstOf([
        unlike("beside the question", await search({}), ["m0", "m1", "m3"]),
        unlike("without the question", await search({ except: [asMessageId("m0")] }), ["m3", "m1"]),
      ]);
    },
  },
  {
    name: "rare words count more than common ones, and newer passages come first among equals",
    async broken(index, keep) {
      const common = Array.from({ length: 20 }, (_, number) => said(number, "the build failed again"));
      const thread = await fill(index, keep, threadOf([...common, said(20, "the build zebra")]));
      const found = await idsFor(index, thread, { text: "build failed zebra", limit: 3 });
      return unlike("build failed zebra", found, ["m20", "m19", "m18"]);
    },
  },
  {
    name: "C6 pages end where they should: each passage on one page, none beyond the last, and far beyond is safe",
    async broken(index, keep) {
      const thread = await fill(index, keep, threadOf(Array.from({ length: 7 }, (_, n) => said(n, `needle ${n}`))));
      const seen: string[] = [];
      let cursor: string | null = null;
      for (let page = 0; page === 0 || cursor !== null; page++) {
        const found = await index.search(thread.id, { text: "needle", limit: 3, ...(cursor !== null && { cursor }) });
        seen.push(...found.hits.map(({ messageId }) => messageId));
        if (found.total !== 7) return `page ${page} reports a total of ${found.total}`;
        cursor = found.nextCursor;
      }
      const whole = await index.search(thread.id, { text: "needle", limit: 7 });
      const beyond = await index.search(thread.id, { text: "needle", cursor: "after-999999999999999" });
      return firstOf([
        unlike("all pages", seen, ["m6", "m5", "m4", "m3", "m2", "m1", "m0"]),
        whole.nextCursor === null ? null : "a full page names a next one",
        beyond.hits.length === 0 && beyond.nextCursor === null && beyond.total === 7
          ? null
          : "beyond the end is something",
      ]);
    },
  },
  {
    name: "C6 malformed times, limits and cursors are refused",
    async broken(index, keep) {
      const thread = await fill(index, keep, threadOf([said(0, "needle")]));
      const bad: readonly Partial<RecallRequest>[] = [
        { after: "yesterday" },
        { before: "2025-13-01T00:00:00Z" },
        { limit: 0 },
        { limit: 1.5 },
        { limit: 1_000_000 },
        { cursor: "after--1" },
        { cursor: "page 2" },
        { branch: "" },
      ];
      const problems = bad.map(async (part) => {
        try {
          await index.search(thread.id, { text: "needle", ...part });
          return `${JSON.stringify(part)} is accepted`;
        } catch (error) {
          return ThreadfoldError.isInstance(error) && error.code === "INVALID_QUERY" ? null : String(error);
        }
      });
      return firstOf(await Promise.all(problems));
    },
  },
  {
    name: "C6 times, roles and exceptions narrow what is found",
    async broken(index, keep) {
      const agent = said(1, "needle b", { role: "assistant" });
      const thread = await fill(index, keep, threadOf([said(0, "needle a"), agent, said(2, "needle c")]));
      const search = (part: Partial<RecallRequest>) => idsFor(index, thread, { text: "needle", ...part });
      return firstOf([
        unlike("after", await search({ after: "2025-01-01T00:01:00Z" }), ["m2", "m1"]),
        unlike("before", await search({ before: "2025-01-01T01:01:00+01:00" }), ["m0"]),
        unlike("roles", await search({ roles: ["assistant"] }), ["m1"]),
        unlike("except", await search({ except: [asMessageId("m2")] }), ["m1", "m0"]),
      ]);
    },
  },
  {
    name: "C6 a query of very many words, of no word at all, or of the index's own syntax is safe",
    async broken(index, keep) {
      const thread = await fill(index, keep, threadOf([said(0, "needle in AND NOT near haystack")]));
      const many = Array.from({ length: 5_000 }, (_, number) => `straw${number}`).join(" ");
      const hostile = [
        '"',
        "needle*",
        "NEAR(needle haystack)",
        "terms:needle",
        "'); DROP TABLE x; --",
        "needle\0",
        "-needle",
      ];
      const problems: (string | null)[] = [
        unlike("needle and straw", await idsFor(index, thread, { text: `needle ${many}` }), ["m0"]),
        unlike("no word", await idsFor(index, thread, { text: " …!? " }), []),
        unlike("empty", await idsFor(index, thread, { text: "" }), []),
      ];
      for (const text of hostile) {
        const expected = /needle/.test(text) ? ["m0"] : [];
        problems.push(unlike(text, await idsFor(index, thread, { text }), expected));
      }
      return firstOf(problems);
    },
  },
  {
    name: "C7 a branch sees itself, its ancestors and the root, and neither siblings nor children; a prefix needs its separator",
    async broken(index, keep) {
      const branches = [undefined, "a", "a/b", "a/b/c", "a/x", "ab"];
      const messages = branches.map((branch, n) => said(n, "needle", branch === undefined ? {} : { branch }));
      const thread = await fill(index, keep, threadOf(messages));
      const from = async (branch: string | undefined, expected: readonly string[]) =>
        unlike(String(branch), await idsFor(index, thread, { text: "needle", ...(branch && { branch }) }), expected);
      return firstOf([
        await from(undefined, ["m0"]),
        await from("a", ["m1", "m0"]),
        await from("a/b", ["m2", "m1", "m0"]),
        await from("a/x", ["m4", "m1", "m0"]),
        await from("ab", ["m5", "m0"]),
      ]);
    },
  },
  {
    name: "threads are kept separate: neither found nor ranked by each other's words",
    async broken(index, keep) {
      const messages = [said(0, "needle needle hay"), said(1, "needle straw"), said(2, "hay and straw")];
      const thread = await fill(index, keep, threadOf(messages, "one"));
      const search = () => index.search(thread.id, { text: "needle straw" });
      const before = JSON.stringify(await search());
      await fill(index, keep, threadOf([said(0, "straw straw"), said(1, "secret straw")], "two"));
      const secret = await idsFor(index, thread, { text: "secret" });
      return firstOf([
        unlike("another thread's word", secret, []),
        JSON.stringify(await search()) === before ? null : "another thread changed the ranking",
        unlike("no such thread", (await index.search(asThreadId("none"), { text: "needle" })).hits.map(String), []),
      ]);
    },
  },
  {
    name: "indexing twice is the same as indexing once, a grown thread adds what is new, and a removed one is gone",
    async broken(index, keep) {
      const thread = await fill(index, keep, threadOf([said(0, "needle a")]));
      await index.index(thread.id, thread.messages);
      const grown = await fill(index, keep, thread.append([said(1, "needle b")]));
      const found = await idsFor(index, grown, { text: "needle" });
      await index.remove(thread.id);
      const gone = await idsFor(index, grown, { text: "needle" });
      await index.index(grown.id, grown.messages);
      const again = await idsFor(index, grown, { text: "needle" });
      return firstOf([
        unlike("grown", found, ["m1", "m0"]),
        unlike("removed", gone, []),
        unlike("indexed again", again, ["m1", "m0"]),
      ]);
    },
  },
  {
    name: "a long message is found at the passage that matches, and its passages are its text without a gap",
    async broken(index, keep) {
      const lines = Array.from(
        { length: 400 },
        (_, number) => `common line ${number} 👩‍👩‍👧 ${"x".repeat(number % 90)}`,
      );
      const text = `${lines.slice(0, 200).join("\n")}\nthe needle\n${lines.slice(200).join("\n")}`;
      const thread = await fill(index, keep, threadOf([said(0, text)]));
      const [hit] = (await index.search(thread.id, { text: "needle" })).hits;
      if (hit === undefined || !hit.excerpt.includes("the needle")) return "the passage is not found";
      const all = (await index.search(thread.id, { text: "common", limit: 500 })).hits;
      const parts = all.toSorted((a, b) => a.start - b.start).map(({ excerpt }) => excerpt);
      if (!parts.every((part) => part.isWellFormed())) return "a character is split";
      return parts.join("") === text ? null : "the passages are not the text";
    },
  },
];

/** Returns the laws of the `RecallIndex` port, each tried on a fresh trial from `open`. */
export function recallLaws(open: () => RecallTrial | Promise<RecallTrial>): readonly Law[] {
  return CHECKS.map(({ name, broken }) => ({
    name,
    broken: async () => {
      const trial = await open();
      try {
        return await broken(trial.index, async (thread) => trial.keep?.(thread));
      } finally {
        await trial.close?.();
      }
    },
  }));
}
