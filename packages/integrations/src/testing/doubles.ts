import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { ThreadAccess } from "../mcp/thread-archive.ts";
import { serveThreadOverStdio, type ThreadServerOptions } from "../mcp/thread-server.ts";

/** A scripted provider's answer to one request: a status and a body, or the events of a stream. */
export type ScriptedAnswer =
  | { readonly status?: number; readonly body: unknown }
  | { readonly events: readonly object[] };

/** A `fetch` for an SDK's client that answers from a list and records the bodies and betas that it received. */
export function scriptedFetch(answers: readonly ScriptedAnswer[]) {
  const bodies: Record<string, unknown>[] = [];
  const betas: (string | null)[] = [];
  const fetch = async (_input: unknown, init?: RequestInit) => {
    init?.signal?.throwIfAborted();
    const answer = answers[bodies.length];
    betas.push(new Headers(init?.headers).get("anthropic-beta"));
    bodies.push(JSON.parse(String(init?.body)) as Record<string, unknown>);
    if (answer === undefined) throw new Error("The script is at its end.");
    if ("events" in answer) return streamOf(answer.events);
    return Response.json(answer.body, { status: answer.status ?? 200 });
  };
  return { fetch: fetch as typeof globalThis.fetch, bodies, betas };
}

/** An answer of Anthropic's Messages API with the given blocks. */
export const anthropicAnswer = (id: string, content: readonly unknown[], stop_reason = "end_turn") => ({
  ...{ id, type: "message", role: "assistant", model: "claude-x", content, stop_reason, stop_sequence: null },
  usage: { input_tokens: 40, output_tokens: 5, cache_read_input_tokens: 10, cache_creation_input_tokens: 2 },
});

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

/** A real client, linked in memory to a server. */
export interface LinkedClient extends AsyncDisposable {
  readonly client: Client;
  /** Resolves when the server has ended. */
  readonly served: Promise<void>;
}

/** The protocol revision that the client uses: the newest one, or that of 2025. */
type ClientEra = "modern" | "legacy";

export async function linkedClient(
  access: ThreadAccess,
  options: ThreadServerOptions = {},
  era: ClientEra = "modern",
): Promise<LinkedClient> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const served = serveThreadOverStdio(access, { ...options, transport: far });
  const negotiation: ClientOptions = era === "modern" ? { versionNegotiation: { mode: "auto" } } : {};
  const client = new Client({ name: "test", version: "1.0.0" }, negotiation);
  await client.connect(near);
  return {
    client,
    served,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await served;
    },
  };
}

/** One recorded value of a metric. */
interface RecordedPoint {
  readonly metric: string;
  readonly unit: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: unknown;
}

/** The OpenTelemetry SDK with in-memory exporters. */
export function recordedTelemetry() {
  const spans = new InMemorySpanExporter();
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 2 ** 30 });
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    tracerProvider,
    meterProvider,
    spans: () => spans.getFinishedSpans(),
    points: async (): Promise<readonly RecordedPoint[]> => {
      metrics.reset();
      await meterProvider.forceFlush();
      return metrics
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap((scope) => scope.metrics)
        .flatMap(({ descriptor, dataPoints }) =>
          dataPoints.map(({ attributes, value }) => ({
            metric: descriptor.name,
            unit: descriptor.unit,
            attributes,
            value,
          })),
        );
    },
    close: () => Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()]),
  };
}
