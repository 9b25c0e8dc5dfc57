/** What a scripted provider answers to one request: a status and a body, or events of a stream. */
export type ScriptedAnswer =
  | { readonly status?: number; readonly body: unknown }
  | { readonly events: readonly object[] };

/** A `fetch` for an SDK's client that answers from a list, and keeps the bodies that it was sent. */
export function scriptedFetch(answers: readonly ScriptedAnswer[]) {
  const bodies: Record<string, unknown>[] = [];
  const fetch = async (_input: unknown, init?: { readonly body?: unknown; readonly signal?: AbortSignal | null }) => {
    init?.signal?.throwIfAborted();
    const answer = answers[bodies.length];
    bodies.push(JSON.parse(String(init?.body)) as Record<string, unknown>);
    if (answer === undefined) throw new Error("The script is at its end.");
    if ("events" in answer) return streamOf(answer.events);
    return Response.json(answer.body, { status: answer.status ?? 200 });
  };
  return { fetch: fetch as typeof globalThis.fetch, bodies };
}

function streamOf(events: readonly object[]): Response {
  const lines = events.map((event) => {
    const name = "type" in event ? `event: ${event.type}\n` : "";
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
}

/** How OpenAI's and Anthropic's APIs refuse a prompt that is too long. */
export const OVERFLOWS = {
  anthropic: {
    status: 400,
    body: {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 9000 tokens > 8000 maximum" },
    },
  },
  openai: {
    status: 400,
    body: {
      error: {
        message: "This model's maximum context length is 8000 tokens. However, your messages resulted in 9000 tokens.",
        type: "invalid_request_error",
        code: "context_length_exceeded",
      },
    },
  },
} as const;
