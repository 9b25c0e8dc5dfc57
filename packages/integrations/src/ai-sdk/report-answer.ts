import { type ContextSession, type ModelResponse, stopReasonOf } from "@threadfold/session";

/** Token figures as steps report them (plain numbers) and as models do (by kind). */
interface AiSdkUsage {
  readonly inputTokens?: number | AiSdkTokens | undefined;
  readonly outputTokens?: number | AiSdkTokens | undefined;
  readonly inputTokenDetails?: {
    readonly cacheReadTokens?: number | undefined;
    readonly cacheWriteTokens?: number | undefined;
  };
}

interface AiSdkTokens {
  readonly total?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

/** An answer as far as the session learns from it. Its messages come with the conversation, at the next step. */
export interface ReportedAnswer {
  readonly usage: AiSdkUsage;
  readonly finishReason: string | { readonly unified: string };
}

/** Tells the session what an answer used and why it ended. */
export async function reportAnswer(session: ContextSession, { usage, finishReason }: ReportedAnswer): Promise<void> {
  const reason = typeof finishReason === "string" ? finishReason : finishReason.unified;
  await session.complete({ messages: [], ...usageOf(usage), stopReason: stopReasonOf(reason) });
}

function usageOf({ inputTokens, outputTokens, inputTokenDetails }: AiSdkUsage): Pick<ModelResponse, "usage"> {
  const input = typeof inputTokens === "object" ? inputTokens : { total: inputTokens };
  const output = typeof outputTokens === "object" ? outputTokens.total : outputTokens;
  if (input.total === undefined) return {};
  const read = input.cacheRead ?? inputTokenDetails?.cacheReadTokens;
  const written = input.cacheWrite ?? inputTokenDetails?.cacheWriteTokens;
  return {
    usage: {
      inputTokens: input.total,
      ...(output !== undefined && { outputTokens: output }),
      ...(read !== undefined && { cacheReadTokens: read }),
      ...(written !== undefined && { cacheWriteTokens: written }),
    },
  };
}
