import {
  type ChatMessage,
  type ChatRequest,
  type ProviderAwareTokenizer,
  type Steps,
  systemText,
} from "@threadfold/core";
import { forAll, type Law, type Trials } from "@threadfold/core/laws";
import { chatRequests } from "./chat-request-arbitrary.ts";

/**
 * Returns the laws of the `ProviderAwareTokenizer` port, checked on generated requests or on your own. A new counter is
 * done when it breaks none of them.
 */
export const tokenizerLaws = (
  tokenizer: ProviderAwareTokenizer,
  { inputs = chatRequests, times = 100 }: Trials<ChatRequest> = {},
): readonly Law[] =>
  forAll(
    inputs,
    CHECKS.map(({ name, broken }) => ({ name, broken: (request: ChatRequest) => broken(tokenizer, request) })),
    times,
  );

interface TokenizerCheck {
  readonly name: string;
  broken(tokenizer: ProviderAwareTokenizer, request: ChatRequest): string | null;
}

const CHECKS: readonly TokenizerCheck[] = [
  {
    name: "figures are whole and never negative",
    broken: (tokenizer, request) =>
      firstBroken(figuresOf(tokenizer, request), (tokens) => Number.isSafeInteger(tokens) && tokens >= 0),
  },
  {
    name: "a message is the sum of its parts and its role's overhead",
    broken: (tokenizer, { messages }) =>
      firstUnequal(messages.map((message) => [tokenizer.countMessage(message), sumOfParts(tokenizer, message)])),
  },
  {
    name: "one more part never makes a message cheaper",
    broken: (tokenizer, { messages }) =>
      firstBroken(
        messages.flatMap((message) =>
          message.parts.map(
            (_, index) =>
              tokenizer.countMessage(message) -
              tokenizer.countMessage({ ...message, parts: message.parts.slice(0, index) }),
          ),
        ),
        (difference) => difference >= 0,
      ),
  },
  {
    name: "messages add up",
    broken: (tokenizer, request) => {
      const without = tokenizer.countRequest({ ...request, messages: [] });
      const messages = request.messages.reduce((sum, message) => sum + tokenizer.countMessage(message), 0);
      return firstUnequal([[tokenizer.countRequest(request), without + messages]]);
    },
  },
  {
    name: "tool schemas are counted, and cost nothing when there are none",
    broken: (tokenizer, request) => {
      const tools = tokenizer.countToolSchemas(request.tools);
      const without = tokenizer.countRequest({ ...request, tools: [] });
      if (tokenizer.countToolSchemas([]) !== 0) return "no tools cost something";
      if (request.tools.length > 0 && tools === 0) return "tools cost nothing";
      return firstUnequal([[tokenizer.countRequest(request), without + tools]]);
    },
  },
  {
    name: "system text is counted",
    broken: (tokenizer, request) => {
      const difference = tokenizer.countRequest(request) - tokenizer.countRequest({ ...request, system: [] });
      const expected = request.system.some((entry) => systemText(entry).length > 0) ? difference > 0 : difference >= 0;
      return expected ? null : `system text adds ${difference} tokens`;
    },
  },
  {
    name: "counting twice gives the same figures",
    broken: (tokenizer, request) => {
      const again = figuresOf(tokenizer, request);
      return firstUnequal(figuresOf(tokenizer, request).map((tokens, index) => [tokens, again[index] as number]));
    },
  },
  {
    name: "counting step by step gives the same figures as counting at once, whatever was counted before or in between",
    broken: (tokenizer, request) => {
      const parts = request.messages.flatMap((message) => message.parts);
      const before = figuresOf(tokenizer, request);
      const stepped = inTurn(parts.flatMap((part) => tokenizer.countPartInSteps?.(part) ?? []));
      const after = figuresOf(tokenizer, request);
      const atOnce = tokenizer.countPartInSteps === undefined ? [] : parts.map((part) => tokenizer.countPart(part));
      return firstUnequal([
        ...stepped.map((tokens, index): [number, number] => [tokens, atOnce[index] as number]),
        ...after.map((tokens, index): [number, number] => [tokens, before[index] as number]),
      ]);
    },
  },
];

/** Runs several counts interleaved, one step of each in turn, and returns their figures. */
function inTurn(all: readonly Steps<number>[]): readonly number[] {
  const figures = new Map<Steps<number>, number>();
  while (figures.size < all.length)
    for (const steps of all) {
      const { done, value } = figures.has(steps) ? NOT_DONE : steps.next();
      if (done === true) figures.set(steps, value);
    }
  return all.map((steps) => figures.get(steps) as number);
}

const NOT_DONE = { done: false, value: undefined } as const;

function figuresOf(tokenizer: ProviderAwareTokenizer, request: ChatRequest): readonly number[] {
  return [
    tokenizer.countRequest(request),
    tokenizer.countToolSchemas(request.tools),
    ...request.system.map((entry) => tokenizer.countTokens(systemText(entry))),
    ...request.messages.flatMap(({ role, parts }) => [
      tokenizer.messageOverhead(role),
      ...parts.map((part) => tokenizer.countPart(part)),
    ]),
  ];
}

const sumOfParts = (tokenizer: ProviderAwareTokenizer, { role, parts }: ChatMessage): number =>
  parts.reduce((sum, part) => sum + tokenizer.countPart(part), tokenizer.messageOverhead(role));

function firstBroken(figures: readonly number[], holds: (figure: number) => boolean): string | null {
  const broken = figures.find((figure) => !holds(figure));
  return broken === undefined ? null : `found ${broken}`;
}

function firstUnequal(pairs: readonly (readonly [number, number])[]): string | null {
  const broken = pairs.find(([actual, expected]) => actual !== expected);
  return broken === undefined ? null : `found ${broken[0]}, expected ${broken[1]}`;
}
