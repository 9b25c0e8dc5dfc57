import {
  type ChatMessage,
  type ChatRequest,
  type ProviderAwareTokenizer,
  type Steps,
  systemText,
  type ToolDefinition,
  toChatMessage,
} from "@threadfold/core";
import { agentThreads, forAll, hostileTexts, jsonValues, type Law, type Trials } from "@threadfold/core/laws";
import fc from "fast-check";

const tools: fc.Arbitrary<ToolDefinition> = fc.record({
  name: fc.constantFrom("read", "write", "<|endoftext|>"),
  description: hostileTexts.map((text) => text.slice(0, 200)),
  inputSchema: jsonValues.map((value) => ({ type: "object", default: value })),
});

/** Generates requests over odd and malformed threads, with hostile system texts and tools. */
export const chatRequests: fc.Arbitrary<ChatRequest> = fc
  .record({
    thread: agentThreads({ malformed: true, maxMessages: 8 }),
    system: fc.array(
      hostileTexts.map((text) => text.slice(0, 400)),
      { maxLength: 2 },
    ),
    tools: fc.array(tools, { maxLength: 2 }),
  })
  .map(({ thread, ...rest }) => ({ ...rest, messages: [...thread.messages].map(toChatMessage) }));

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
  { name: "it has a name", broken: ({ id }) => (id === "" ? "its id is empty" : null) },
  {
    name: "figures are whole and never negative",
    broken: (tokenizer, request) => {
      const bad = figuresOf(tokenizer, request).find(([, tokens]) => !Number.isSafeInteger(tokens) || tokens < 0);
      return bad === undefined ? null : `${bad[0]} is ${bad[1]}`;
    },
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
      return firstChanged(figuresOf(tokenizer, request), figuresOf(tokenizer, request));
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
      return (
        firstUnequal(stepped.map((tokens, index): [number, number] => [tokens, atOnce[index] as number])) ??
        firstChanged(before, after)
      );
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

/** A figure, and the call that gives it. */
type Figure = readonly [call: string, tokens: number];

function figuresOf(tokenizer: ProviderAwareTokenizer, request: ChatRequest): readonly Figure[] {
  return [
    ["countRequest(request)", tokenizer.countRequest(request)],
    ["countToolSchemas(request.tools)", tokenizer.countToolSchemas(request.tools)],
    ...request.system.map((entry): Figure => {
      const text = systemText(entry);
      return [`countTokens(${JSON.stringify(text)})`, tokenizer.countTokens(text)];
    }),
    ...request.messages.flatMap(({ role, parts }): readonly Figure[] => [
      [`messageOverhead("${role}")`, tokenizer.messageOverhead(role)],
      ...parts.map((part): Figure => [`countPart(${JSON.stringify(part)})`, tokenizer.countPart(part)]),
    ]),
  ];
}

const sumOfParts = (tokenizer: ProviderAwareTokenizer, { role, parts }: ChatMessage): number =>
  parts.reduce((sum, part) => sum + tokenizer.countPart(part), tokenizer.messageOverhead(role));

function firstBroken(figures: readonly number[], holds: (figure: number) => boolean): string | null {
  const broken = figures.find((figure) => !holds(figure));
  return broken === undefined ? null : `found ${broken}`;
}

function firstChanged(before: readonly Figure[], after: readonly Figure[]): string | null {
  const changed = before.findIndex(([, tokens], index) => !Object.is(tokens, after[index]?.[1]));
  return changed < 0 ? null : `${before[changed]?.[0]} is ${before[changed]?.[1]}, and then ${after[changed]?.[1]}`;
}

function firstUnequal(pairs: readonly (readonly [number, number])[]): string | null {
  const broken = pairs.find(([actual, expected]) => !Object.is(actual, expected));
  return broken === undefined ? null : `found ${broken[0]}, expected ${broken[1]}`;
}
