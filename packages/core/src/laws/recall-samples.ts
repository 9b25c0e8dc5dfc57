import { asMessageId, asThreadId } from "../model/ids.ts";
import type { MessageInput } from "../model/message.ts";
import type { RecallIndex, RecallRequest } from "../ports/recall-index.ts";
import { AgentThread } from "../thread/agent-thread.ts";

export const START = Date.UTC(2025, 0, 1);

export function said(number: number, text: string, more: Partial<MessageInput> = {}): MessageInput {
  const createdAt = new Date(START + number * 60_000).toISOString();
  return { id: asMessageId(`m${number}`), role: "user", parts: [{ type: "text", text }], createdAt, ...more };
}

export const threadOf = (messages: readonly MessageInput[], id = "recalled"): AgentThread =>
  AgentThread.empty(asThreadId(id)).append(messages);

export type Keep = (thread: AgentThread) => Promise<void>;

export async function fill(index: RecallIndex, keep: Keep, thread: AgentThread): Promise<AgentThread> {
  await keep(thread);
  await index.index(thread.id, thread.messages);
  return thread;
}

export async function idsFor(
  index: RecallIndex,
  thread: AgentThread,
  request: RecallRequest,
): Promise<readonly string[]> {
  return (await index.search(thread.id, request)).hits.map(({ messageId }) => messageId);
}

/** Says how what was found differs from what should be. */
export function unlike(what: string, found: readonly string[], expected: readonly string[]): string | null {
  return found.join(" ") === expected.join(" ")
    ? null
    : `${what}: found ${found.join(" ") || "nothing"}, not ${expected.join(" ") || "nothing"}`;
}

export const firstOf = (problems: readonly (string | null)[]): string | null =>
  problems.find((problem) => problem !== null) ?? null;

/** Sentences in the languages that users write, and words that have to find them although they stand there in another form. */
export const SENTENCES: readonly (readonly [text: string, queries: readonly string[]])[] = [
  ["Die Verbindung zur Datenbank ist nicht stabil", ["Verbindungen", "stabile Datenbanken"]],
  ["La requête au serveur est coupée dans la nuit", ["requêtes", "serveurs"]],
  ["La conexión con el servidor no es estable por la noche", ["conexiones"]],
  ["A porta do programa não está aberta durante a noite", ["portas"]],
  ["Il collegamento con la rete non è stabile di notte", ["collegamenti"]],
  ["De verbinding met het netwerk is niet stabiel", ["verbindingen", "netwerken"]],
  ["Подключение к базе данных нестабильно", ["подключения", "нестабильное"]],
];

/** The names of one thing in many notations, and words that have to find it. */
export const NAMES: readonly (readonly [text: string, queries: readonly string[]])[] = [
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
