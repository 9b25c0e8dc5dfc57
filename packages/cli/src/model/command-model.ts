import { type CompletionModel, ThreadfoldError } from "@threadfold/core";
import type { CliCall, CliContext, CliOption } from "../command/cli-command.ts";
import type { CliIo } from "../output/cli-io.ts";
import type { Progress } from "../progress/progress.ts";

/** A provider of models: the package that it needs, the environment variable of its key, and how a model is opened. */
interface ModelDoor {
  readonly package: string;
  readonly key: string;
  /** @throws when the package is not installed. */
  open(name: string, settings: { readonly apiKey: string; readonly baseURL?: string }): Promise<CompletionModel>;
}

/** Every provider, by the prefix of its model names. */
const DOORS: Readonly<Record<string, ModelDoor>> = {
  anthropic: {
    package: "@anthropic-ai/sdk",
    key: "ANTHROPIC_API_KEY",
    async open(model, settings) {
      const { default: Anthropic } = await import("@anthropic-ai/sdk");
      const { anthropicModel } = await import("@threadfold/summarizers/anthropic");
      return anthropicModel({ client: new Anthropic(settings), model });
    },
  },
  openai: {
    package: "openai",
    key: "OPENAI_API_KEY",
    async open(model, settings) {
      const { default: OpenAI } = await import("openai");
      const { openaiModel } = await import("@threadfold/summarizers/openai");
      return openaiModel({ client: new OpenAI(settings), model });
    },
  },
  "openai-responses": {
    package: "openai",
    key: "OPENAI_API_KEY",
    async open(model, settings) {
      const { default: OpenAI } = await import("openai");
      const { openaiResponsesModel } = await import("@threadfold/summarizers/openai");
      return openaiResponsesModel({ client: new OpenAI(settings), model });
    },
  },
  "ai-sdk": {
    package: "ai",
    key: "AI_GATEWAY_API_KEY",
    async open(model, settings) {
      const { createGateway } = await import("ai");
      const { aiSdkModel } = await import("@threadfold/summarizers/ai-sdk");
      return aiSdkModel({ model: createGateway(settings)(model) });
    },
  },
};

/** Options that select the model for summaries. */
export const MODEL_OPTIONS: readonly CliOption[] = [
  {
    flags: "--model <name>",
    description: `model that writes the summary: ${Object.keys(DOORS).join(", ")} and :name; the key is taken from the environment`,
  },
  {
    flags: "--base-url <url>",
    description: "server of the model; a name without a provider prefix is treated as OpenAI-compatible",
  },
];

/** Local servers need no key, but clients do not start without one. */
const NO_KEY = "none";

/**
 * Returns the model that a command line names, which reports progress while it works; undefined when none is named.
 *
 * @throws ThreadfoldError `USAGE` for an invalid name or address, and when the key or the package is missing.
 */
export async function commandModel(
  { options }: Pick<CliCall, "options">,
  { io, progress }: CliContext,
): Promise<MeteredModel | undefined> {
  const { model: named, baseUrl } = options;
  if (typeof named !== "string") {
    if (baseUrl !== undefined) throw new ThreadfoldError("USAGE", "--base-url is given without --model.");
    return undefined;
  }
  const baseURL = serverAddress(baseUrl);
  const { door, name } = doorOf(named, baseURL);
  const settings = { apiKey: keyFor(door, io.env, baseURL), ...(baseURL !== undefined && { baseURL }) };
  return new MeteredModel(await opened(door, name, settings), progress);
}

function doorOf(named: string, baseURL: string | undefined): { readonly door: ModelDoor; readonly name: string } {
  const [word = "", ...rest] = named.split(":");
  const chosen = Object.hasOwn(DOORS, word) ? DOORS[word] : undefined;
  const door = chosen ?? (baseURL === undefined ? undefined : DOORS["openai"]);
  const name = chosen === undefined ? named : rest.join(":");
  if (door !== undefined && name.trim() !== "") return { door, name };
  throw new ThreadfoldError("USAGE", `--model is ${JSON.stringify(named)}, which does not say whose model it is.`, {
    hint: `Write ${Object.keys(DOORS)
      .map((known) => `${known}:NAME`)
      .join(", ")}, or give --base-url.`,
  });
}

function serverAddress(value: CliCall["options"][string]): string | undefined {
  if (typeof value !== "string") return undefined;
  const protocol = URL.canParse(value) ? new URL(value).protocol : "";
  if (protocol === "http:" || protocol === "https:") return value;
  throw new ThreadfoldError(
    "USAGE",
    `--base-url is ${JSON.stringify(value)}; it must be an address with http or https.`,
  );
}

function keyFor({ key }: ModelDoor, env: CliIo["env"], baseURL: string | undefined): string {
  const found = env[key];
  if (found !== undefined && found !== "") return found;
  if (baseURL !== undefined) return NO_KEY;
  throw new ThreadfoldError("USAGE", `${key} is not set, and the model needs a key.`, {
    hint: `Set ${key} in the environment, or give --base-url for a server without keys.`,
  });
}

async function opened(door: ModelDoor, name: string, settings: Parameters<ModelDoor["open"]>[1]) {
  try {
    return await door.open(name, settings);
  } catch (cause) {
    throw new ThreadfoldError("USAGE", `${door.package} cannot be loaded, which --model needs here.`, {
      hint: `Install it alongside threadfold: npm install ${door.package}`,
      cause,
    });
  }
}

/** Interval between progress reports while a model works, in milliseconds. */
const TICK_MS = 1_000;

/** A model that reports progress while it works, and counts its calls and tokens. */
export class MeteredModel implements CompletionModel {
  readonly id: string;
  readonly #model: CompletionModel;
  readonly #progress: Progress;
  #calls = 0;
  #inputTokens = 0;
  #outputTokens = 0;

  constructor(model: CompletionModel, progress: Progress) {
    this.id = model.id;
    this.#model = model;
    this.#progress = progress;
  }

  /** The calls so far; tokens as the provider counts them. */
  get work(): ModelWork {
    return {
      id: this.id,
      calls: this.#calls,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
    };
  }

  async complete(request: Parameters<CompletionModel["complete"]>[0]): ReturnType<CompletionModel["complete"]> {
    const phase = `${this.id}, call ${++this.#calls}`;
    // The number of calls is not known in advance: each one halves the remaining distance of the bar.
    const share = 0.9 - 0.3 / 2 ** this.#calls;
    this.#progress.update(phase, share);
    const ticking = setInterval(() => this.#progress.update(phase, share), TICK_MS);
    try {
      const result = await this.#model.complete(request);
      this.#inputTokens += result.usage?.inputTokens ?? 0;
      this.#outputTokens += result.usage?.outputTokens ?? 0;
      return result;
    } finally {
      clearInterval(ticking);
    }
  }
}

/** The calls and tokens of a model in one command. */
export interface ModelWork {
  readonly id: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Describes the calls of a model for a person. */
export const modelNote = ({ id, calls, inputTokens, outputTokens }: ModelWork): string =>
  calls === 0
    ? `${id} was not called.`
    : `${id} was called ${calls === 1 ? "once" : `${calls} times`}: ${inputTokens} tokens in, ${outputTokens} out.`;
