import fc from "fast-check";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import type { MediaPart, ReasoningPart, ToolDurability, ToolOutcomeStatus, ToolResultContent } from "../model/part.ts";
import { hostileTexts, hugeTexts, jsonObjects, jsonValues, proseTexts } from "./text-arbitrary.ts";

/** One tool call and its result, before ids are assigned. */
export interface CallDraft {
  readonly toolName: string;
  readonly input: JsonValue;
  readonly invalidInput?: string;
  readonly outcome: ToolOutcomeStatus;
  readonly content: ToolResultContent;
  readonly keyFields?: JsonObject;
  readonly durability?: ToolDurability;
}

const tool = (toolName: string, input: fc.Arbitrary<JsonObject>) =>
  input.map((value) => ({ toolName, input: value as JsonValue }));
const path = fc.constantFrom("src/index.ts", "README.md", "/etc/hosts", "päth/文件.txt");

const toolUses = fc.oneof(
  tool("read", fc.record({ path })),
  tool("write", fc.record({ path, content: proseTexts })),
  tool("bash", fc.record({ command: fc.constantFrom("npm test", "git status", "ls -la", "rm -rf dist && echo done") })),
  tool("grep", fc.record({ pattern: fc.constantFrom("TODO", "never", "\\bfoo\\b") })),
  tool("web_search", fc.record({ query: proseTexts })),
);

const hostileUses = fc.oneof(
  { weight: 3, arbitrary: toolUses },
  {
    weight: 1,
    arbitrary: fc.record({
      toolName: fc.constantFrom("__proto__", "", "mcp__server__tool", "read"),
      input: jsonValues,
    }),
  },
  { weight: 1, arbitrary: tool("write", fc.record({ path, content: hugeTexts })) },
  {
    weight: 1,
    arbitrary: fc.constant({ toolName: "bash", input: '{"command": "ls', invalidInput: '{"command": "ls' }),
  },
);

const mediaType = fc.constantFrom("image" as const, "file" as const);

/** Images and files from each kind of source. */
export const mediaParts: fc.Arbitrary<MediaPart> = fc.oneof(
  fc.record({
    type: mediaType,
    source: fc.constant({ kind: "base64" as const, mediaType: "image/png", data: "iVBORw0KGgo=" }),
  }),
  fc.record({
    type: mediaType,
    source: fc.constant({ kind: "url" as const, url: "https://example.com/a.png" }),
    name: fc.constant("a.png"),
  }),
  fc.record({
    type: mediaType,
    source: fc.constant({ kind: "file-id" as const, fileId: "file-7", mediaType: "application/pdf" }),
  }),
);

const signatures = fc.base64String({ minLength: 4, maxLength: 16 });
const reasoning = fc.constant("reasoning" as const);

/** Reasoning that is unsigned, signed by a provider, or encrypted by a provider. */
export const reasoningParts: fc.Arbitrary<ReasoningPart> = fc.oneof(
  fc.record({ type: reasoning, text: proseTexts }),
  fc.record({ type: reasoning, text: hostileTexts, provider: fc.constant("anthropic"), signature: signatures }),
  fc.record({ type: reasoning, text: fc.constant(""), provider: fc.constant("openai"), encrypted: signatures }),
);

const block = fc.oneof(fc.record({ type: fc.constant("text" as const), text: hostileTexts }), mediaParts);
const textContent = (text: fc.Arbitrary<string>) => fc.record({ type: fc.constant("text" as const), text });
const jsonContent = (value: fc.Arbitrary<JsonValue>) => fc.record({ type: fc.constant("json" as const), value });

const plainContents: fc.Arbitrary<ToolResultContent> = fc.oneof(
  { weight: 3, arbitrary: textContent(proseTexts) },
  { weight: 1, arbitrary: jsonContent(jsonObjects as fc.Arbitrary<JsonValue>) },
);
const hostileContents: fc.Arbitrary<ToolResultContent> = fc.oneof(
  { weight: 3, arbitrary: textContent(hostileTexts) },
  { weight: 1, arbitrary: jsonContent(jsonValues) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("blocks" as const), blocks: fc.array(block, { maxLength: 3 }) }),
  },
);

const outcomes = fc.constantFrom<ToolOutcomeStatus>("success", "success", "success", "failure", "partial");
const durabilities = fc.constantFrom<ToolDurability>("ephemeral", "anchoring", "replayable", "non_replayable");
const extras = fc.record({ keyFields: jsonObjects, durability: durabilities }, { requiredKeys: [] });

const drafts = (
  uses: fc.Arbitrary<Pick<CallDraft, "toolName" | "input">>,
  contents: fc.Arbitrary<ToolResultContent>,
): fc.Arbitrary<CallDraft> =>
  fc
    .tuple(uses, outcomes, contents, extras)
    .map(([use, outcome, content, extra]) => ({ ...use, outcome, content, ...extra }));

/** A call and its result as in the session of a healthy agent. */
export const plainCalls: fc.Arbitrary<CallDraft> = drafts(toolUses, plainContents);
/** A call and a result with odd names, inputs, bodies and media. */
export const hostileCalls: fc.Arbitrary<CallDraft> = drafts(hostileUses, hostileContents);
