import type { ChatMessage, ChatRequest, JsonObject, JsonValue, LegalityViolation } from "@threadfold/core";
import { type FormatRequirements, formatById, type ProviderFormat } from "@threadfold/renderer";
import { brokenLaws, formatLaws, keepLaws } from "threadfold/laws";
import { describe, expect, it } from "vitest";

const NAMES = { refused: /[^a-zA-Z0-9_-]/, maxLength: 64 };
const NO_MEDIA = { base64: [], urls: [], fileIds: false };

const requirements: FormatRequirements = {
  opening: "user",
  systemInside: "notice",
  reasoning: { replay: "never" },
  opaqueFrom: [],
  opaqueFields: [],
  image: NO_MEDIA,
  file: NO_MEDIA,
  mediaRoles: [],
  mediaInResults: false,
  toolInput: "object",
  marksFailures: true,
  callIds: { ...NAMES, uniqueIn: "request" },
  toolNames: NAMES,
  fields: { texts: {}, messages: {} },
  declaresTools: true,
};

/**
 * Texts and tools of Amazon Bedrock's Converse API, as somebody else would write it: speakers alternate, results stand in
 * the user's turn. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
const converse: ProviderFormat = {
  id: "bedrock-converse",
  messagesField: "messages",
  rules: { requirements, rules: [] },
  lower({ system, tools, messages }: ChatRequest) {
    const turns: { role: string; content: JsonObject[] }[] = [];
    for (const message of messages) {
      const role = message.role === "assistant" ? "assistant" : "user";
      const open = turns.at(-1);
      if (open?.role === role) open.content.push(...contentOf(message));
      else turns.push({ role, content: contentOf(message) });
    }
    const specs = tools.map(({ name, description, inputSchema }) => ({
      toolSpec: { name, ...(description !== undefined && { description }), inputSchema: { json: inputSchema } },
    }));
    return {
      payload: {
        system: system.map((entry) => ({ text: typeof entry === "string" ? entry : entry.text })),
        messages: turns,
        ...(specs.length > 0 && { toolConfig: { tools: specs as unknown as JsonValue } }),
      },
    };
  },
  check: (payload) => strayResults(payload as { readonly messages?: readonly Turn[] }),
};

function contentOf({ parts }: ChatMessage): JsonObject[] {
  return parts.flatMap((part): JsonObject[] => {
    switch (part.type) {
      case "text":
        return [{ text: part.text }];
      case "tool-call":
        return [{ toolUse: { toolUseId: part.callId, name: part.toolName, input: part.input ?? {} } }];
      case "tool-result": {
        const { callId, content, outcome } = part.result;
        const text = content.type === "text" ? content.text : JSON.stringify(content);
        const status = outcome === "success" ? "success" : "error";
        return [{ toolResult: { toolUseId: callId, content: [{ text }], status } }];
      }
      default:
        return [];
    }
  });
}

interface Turn {
  readonly role: string;
  readonly content: readonly { readonly toolUse?: Id; readonly toolResult?: Id }[];
}
interface Id {
  readonly toolUseId: string;
}

/** A turn answers just the calls of the turn before it. */
function strayResults({ messages = [] }: { readonly messages?: readonly Turn[] }): readonly LegalityViolation[] {
  const ids = (turn: Turn | undefined, kind: "toolUse" | "toolResult"): string =>
    (turn?.content ?? []).flatMap((block) => block[kind]?.toolUseId ?? []).join();
  return messages.flatMap((turn, index) => {
    const isPaired = ids(messages[index - 1], "toolUse") === ids(turn, "toolResult");
    return isPaired ? [] : [{ rule: "converse-pairs", problem: "calls without results", at: `$.messages[${index}]` }];
  });
}

keepLaws("a format of one's own, made legal by what it says it requires", formatLaws(converse), { describe, it });

describe("a format of one's own", () => {
  it("breaks the laws when it requires less than it checks", async () => {
    const careless: ProviderFormat = {
      ...converse,
      check: (payload) => [
        ...converse.check(payload),
        ...(JSON.stringify(payload).includes('"toolUse"') && !JSON.stringify(payload).includes("toolConfig")
          ? [{ rule: "declares-tools", problem: "calls without toolConfig", at: "$" }]
          : []),
      ],
      rules: { requirements: { ...requirements, declaresTools: false }, rules: [] },
    };
    const legality = formatLaws(careless).filter(({ name }) => name === "what is rendered is legal");
    expect(await brokenLaws(legality)).toEqual([
      {
        name: "what is rendered is legal",
        problem: expect.stringContaining("declares-tools at $: calls without toolConfig"),
      },
    ]);
  });

  it("is found by its name where it is handed in, and goes before ours", () => {
    expect(formatById("bedrock-converse", [converse])).toBe(converse);
    expect(formatById("neutral", [converse]).id).toBe("neutral");
    const ours = { ...converse, id: "neutral" };
    expect(formatById("neutral", [ours])).toBe(ours);
    expect(() => formatById("nothing", [converse])).toThrow(
      expect.objectContaining({
        code: "INVALID_CONFIG",
        hint: expect.stringMatching(/^Name one of: bedrock-converse, /),
      }),
    );
  });
});
