import { createHash } from "node:crypto";
import { assistant, call, result, tool, user } from "@threadfold/core/laws";
import type { MessageInput } from "threadfold";
import { importedFrom, sessionFiles } from "./peers-sessions.ts";

/** A conversation to be replayed call by call. */
export interface Corpus {
  readonly name: string;
  readonly messages: readonly MessageInput[];
}

/** Returns a source of numbers from 0 up to 1, the same for the same seed on every machine. */
function numbers(seed: string): () => number {
  let count = 0;
  return () => createHash("sha256").update(`${seed}:${count++}`).digest().readUInt32BE(0) / 2 ** 32;
}

type Chance = ReturnType<typeof numbers>;
const below = (chance: Chance, end: number): number => Math.floor(chance() * end);
const one = <Item>(chance: Chance, items: readonly Item[]): Item => items[below(chance, items.length)] as Item;
const times = <Item>(count: number, make: () => Item): readonly Item[] => Array.from({ length: count }, make);

const SENTENCES = [
  "昨天的测试结果显示，系统在高负载下会出现内存泄漏的问题，需要尽快修复并重新部署到生产环境。",
  "用户反馈说登录页面加载太慢，前端团队正在优化图片和脚本的大小。",
  "この関数は入力された文字列を解析して、結果を配列として返します。",
  "テストを実行する前に、設定ファイルを更新する必要があります。",
  "이 함수는 입력된 문자열을 분석하여 결과를 배열로 반환합니다.",
  "数据库的索引也要重新设计，否则查询速度无法满足要求。",
] as const;

/** Makes a tool's output of about this many tokens, by kind of text. */
const TEXTS: Readonly<Record<string, (chance: Chance, tokens: number) => string>> = {
  CJK: (chance, tokens) => times(Math.ceil(tokens / 22), () => one(chance, SENTENCES)).join(""),
  base64: (chance, tokens) =>
    times(Math.ceil(tokens / 64), () => createHash("sha512").update(`${chance()}`).digest("base64")).join(""),
  logs: (chance, tokens) => times(Math.ceil(tokens / 70), () => logLine(chance)).join("\n"),
  JSON: (chance, tokens) => JSON.stringify(times(Math.ceil(tokens / 45), () => order(chance))),
};

function logLine(chance: Chance): string {
  const address = times(4, () => below(chance, 255)).join(".");
  const id = createHash("sha1").update(`${chance()}`).digest("hex");
  const status = one(chance, [200, 201, 404, 500]);
  return `2026-03-0${1 + below(chance, 8)}T1${below(chance, 10)}:${10 + below(chance, 50)}:07.${100 + below(chance, 900)}Z INFO [worker-${below(chance, 16)}] request=${id} ip=${address} path=/api/v1/users/${below(chance, 99_999)} status=${status} took=${below(chance, 900)}ms`;
}

const order = (chance: Chance) => ({
  id: below(chance, 1e6),
  sku: createHash("md5").update(`${chance()}`).digest("hex").slice(0, 10),
  price: Number((100 * chance()).toFixed(2)),
  isActive: chance() > 0.5,
  tags: ["new", "sale"],
  createdAt: "2026-03-02T03:04:05Z",
});

const CALLS = 160;
const MOST_TOKENS = 1_600;

/** Returns a run whose tool prints text of these kinds, call after call. */
function scripted(name: string, kinds: readonly string[]): Corpus {
  const chance = numbers(name);
  const steps = Array.from({ length: CALLS }, (_, step) => {
    const text = TEXTS[kinds[below(chance, kinds.length)] as string] as (chance: Chance, tokens: number) => string;
    const id = `call_${step}`;
    return [
      assistant(`a${step}`, call(id, "bash", { command: `./report --step ${step}` })),
      tool(`t${step}`, result(id, text(chance, 100 + below(chance, MOST_TOKENS)), { toolName: "bash" })),
    ];
  });
  return { name, messages: [user("u", "Read all reports and say what stands out."), ...steps.flat()] };
}

/**
 * The kinds of text for which four characters a token is most wrong: a corpus for each, and one of all of them mixed.
 */
export const scriptedCorpora = (): readonly Corpus[] => [
  ...Object.keys(TEXTS).map((kind) => scripted(kind, [kind])),
  scripted("mixed", Object.keys(TEXTS)),
];

/** Returns the longest recorded session of each tool. */
export async function recordedCorpora(): Promise<readonly Corpus[]> {
  const longest = new Map<string, Corpus>();
  for (const { path } of sessionFiles()) {
    const session = await importedFrom(path);
    if (session === null) continue;
    const messages = session.messages.filter(({ branch, role }) => branch === undefined && role !== "system");
    const known = longest.get(session.format);
    if (messages.length > (known?.messages.length ?? 0))
      longest.set(session.format, { name: session.format, messages });
  }
  return [...longest.values()].filter(({ messages }) => messages.length >= FEWEST_MESSAGES);
}

/** Shorter sessions never get near a window. */
const FEWEST_MESSAGES = 80;
