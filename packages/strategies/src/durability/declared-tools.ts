import {
  checkArgument,
  type DeterminismMetadata,
  type DeterminismProbe,
  type JsonValue,
  type MessageInput,
  type ProbeVerdict,
  probeVerdict,
  ThreadfoldError,
  type ToolCallId,
  type ToolDurabilityPolicy,
  toolDurabilityPolicySchema,
  withinLimit,
} from "@threadfold/core";

/** Describes the current state of the source that a call read; null when the source is gone. */
export type CaptureDeterminism = (input: JsonValue, signal: AbortSignal) => Promise<DeterminismMetadata | null>;

/** What a tool can declare about its results. Only `durability` is required. */
export interface ToolTraits extends Partial<Omit<ToolDurabilityPolicy, "mustPreserveFields">> {
  readonly durability: ToolDurabilityPolicy["durability"];
  /** Fields that every fold keeps, as names or as paths such as `order.id` and `items.*.sku`. */
  readonly preserveFields?: readonly string[];
  /** For a replayable tool: called when a result is appended, and again before the result would be cleared. */
  readonly captureDeterminism?: CaptureDeterminism;
}

/** A tool together with what it declares about its results. */
export interface ToolDeclaration {
  readonly toolName: string;
  readonly policy: ToolDurabilityPolicy;
  readonly captureDeterminism?: CaptureDeterminism;
}

/**
 * Declares how the results of a tool are folded, next to the tool itself. For example:
 * `declareTool("create_order", { durability: "anchoring", preserveFields: ["order_id"] })`. Hand the declarations to a
 * session as `declaredTools`.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` without a name, or when a trait is invalid; the message names it.
 */
export function declareTool(toolName: string, traits: ToolTraits): ToolDeclaration {
  checkArgument("toolName", toolName, "name");
  checkArgument("traits", traits, "object");
  const { preserveFields = [], captureDeterminism, ...policy } = traits;
  const parsed = toolDurabilityPolicySchema.safeParse({ ...policy, mustPreserveFields: preserveFields });
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const name = ["declareTool", toolName, ...(issue?.path ?? [])].join(".");
    throw new ThreadfoldError("INVALID_CONFIG", `${name}: ${issue?.message}.`, { details: { name } });
  }
  if (captureDeterminism !== undefined) checkArgument("captureDeterminism", captureDeterminism, "call");
  return { toolName, policy: parsed.data, ...(captureDeterminism !== undefined && { captureDeterminism }) };
}

/** Returns the policies of declared tools by tool name, in the form that the configuration takes. */
export const declaredOverrides = (tools: readonly ToolDeclaration[]): Readonly<Record<string, ToolDurabilityPolicy>> =>
  Object.fromEntries(tools.map(({ toolName, policy }) => [toolName, policy]));

/**
 * Returns a probe that asks each declared tool about its own sources, and `others`, if given, about all other tools.
 */
export function declaredProbe(tools: readonly ToolDeclaration[], others?: DeterminismProbe): DeterminismProbe {
  const captures = capturesOf(tools);
  return {
    ...(others?.timeLimitMs !== undefined && { timeLimitMs: others.timeLimitMs }),
    async probe(result, signal): Promise<ProbeVerdict> {
      const capture = captures.get(result.toolName);
      if (capture === undefined) return others?.probe(result, signal) ?? "unverifiable";
      return probeVerdict(result.determinism, await capture(result.input, signal));
    },
  };
}

/** How long one capture may hold up an append, in milliseconds. */
const TIME_LIMIT_MS = 2_000;

/**
 * Returns the messages with what declared tools capture about the sources of their successful results. A result that
 * already has such metadata keeps it. When a capture throws, finds nothing or takes too long, the result stays
 * unchanged and is then never cleared.
 *
 * @param inputOf returns the arguments of a call that is not in `messages`; undefined when there is no such call.
 */
export async function withDeterminism(
  messages: readonly MessageInput[],
  tools: readonly ToolDeclaration[],
  inputOf: (callId: ToolCallId) => JsonValue | undefined,
): Promise<readonly MessageInput[]> {
  const captures = capturesOf(tools);
  // Malformed messages are refused when they are appended, with an error that names them.
  if (!messages.every((message) => Array.isArray(message?.parts))) return messages;
  const inputs = new Map(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-call" ? [[part.callId, part.input]] : [])),
    ),
  ) as ReadonlyMap<ToolCallId, JsonValue>;
  return Promise.all(
    messages.map(async (message): Promise<MessageInput> => {
      const part = message.parts[0];
      if (part?.type !== "tool-result" || part.result.determinism !== undefined) return message;
      const { toolName, callId, outcome } = part.result;
      const capture = outcome === "success" ? captures.get(toolName) : undefined;
      const input = inputs.get(callId) ?? inputOf(callId);
      if (capture === undefined || input === undefined) return message;
      const determinism = await captured(capture, input);
      return determinism === null
        ? message
        : { ...message, parts: [{ ...part, result: { ...part.result, determinism } }] };
    }),
  );
}

async function captured(capture: CaptureDeterminism, input: JsonValue): Promise<DeterminismMetadata | null> {
  try {
    return await withinLimit((signal) => capture(input, signal), {
      milliseconds: TIME_LIMIT_MS,
      waitedFor: "captureDeterminism",
      option: "captureDeterminism",
      timers: globalThis,
    });
  } catch {
    return null;
  }
}

const capturesOf = (tools: readonly ToolDeclaration[]): ReadonlyMap<string, CaptureDeterminism> =>
  new Map(
    tools.flatMap(({ toolName, captureDeterminism: capture }) => (capture ? [[toolName, capture] as const] : [])),
  );
