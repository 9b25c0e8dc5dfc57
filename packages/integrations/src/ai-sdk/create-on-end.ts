import { type AiSdkSessionOptions, aiSdkSession } from "./ai-sdk-session.ts";
import { type ReportedAnswer, reportAnswer } from "./report-answer.ts";

/** What the end of a run tells, as far as it matters here. Only version 7 has all response messages in one place. */
interface RunEnd {
  readonly steps: readonly ReportedAnswer[];
  readonly responseMessages?: readonly unknown[];
  readonly response: { readonly messages: readonly unknown[] };
}

/**
 * An `onEnd` (in version 6 `onFinish`) to put beside {@link createPrepareStep}: takes in the last answer of a run, so that
 * the thread is complete when the run is, and what it used.
 */
export function createOnEnd(options: AiSdkSessionOptions) {
  const state = aiSdkSession(options);
  return async ({ steps, responseMessages, response }: RunEnd): Promise<void> => {
    const last = steps.at(-1);
    if (last !== undefined && !state.hasMiddleware) await reportAnswer(state.mirror.session, last);
    await state.mirror.sync([...state.initialMessages, ...(responseMessages ?? response.messages)]);
  };
}
