import { type CompletionModel, ThreadfoldError } from "@threadfold/core";
import type { CliCall, CliContext, CliOption } from "../command/cli-command.ts";
import type { CliIo } from "../output/cli-io.ts";
import type { Progress } from "../progress/progress.ts";

/** A door to a model: the package that has to be installed for it, where its key stands, and how it is opened. */
interface ModelDoor {
  readonly package: string;
  readonly key: string;
  /** @throws when the package is not installed. */
  open(name: string, settings: { readonly apiKey: string; readonly baseURL?: string }): Promise<CompletionModel>;
}

/** Every door, by the word that stands before a model's name. */
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

/** Which model writes summaries. */
export const MODEL_OPTIONS: readonly CliOption[] = [
  {
    flags: "--model <name>",
    description: `model that writes the summary: ${Object.keys(DOORS).join(", ")} and :name; the key is taken from the environment`,
  },
  {
    flags: "--base-url <url>",
    description: "server of the model; a name without a door is taken for one that speaks as OpenAI does",
  },
];

/** Local servers ask for no key, and clients do not start without one. */
const NO_KEY = "none";

/**
 * The model that a command line names, which tells its progress while it works; undefined when none is named.
 *
 * @throws ThreadfoldError `USAGE` for a name or address that is none, and when key or package is missing.
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
  throw new ThreadfoldError("USAGE", `--model is ${JSON.stringify(named)}, which does not say who has the model.`, {
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
  throw new ThreadfoldError("USAGE", `${key} is not set, and the model asks for a key.`, {
    hint: `Set ${key} in the environment, or give --base-url for a server without keys.`,
  });
}

async function opened(door: ModelDoor, name: string, settings: Parameters<ModelDoor["open"]>[1]) {
  try {
    return await door.open(name, settings);
  } catch (cause) {
    throw new ThreadfoldError("USAGE", `${door.package} cannot be loaded, which --model needs here.`, {
      hint: `Install it beside threadfold: npm install ${door.package}`,
      cause,
    });
  }
}

/** How often progress is told while a model thinks, in milliseconds. */
const TICK_MS = 1_000;

/** A model that tells progress while it works, and counts what it was asked. */
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

  /** What the model was asked so far; tokens as its provider counts them. */
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
    // How many calls there will be is not known: each brings the bar half of the rest of its way.
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

/** What a model was asked in one command. */
export interface ModelWork {
  readonly id: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The work of a model, for people. */
export const modelNote = ({ id, calls, inputTokens, outputTokens }: ModelWork): string =>
  calls === 0
    ? `${id} was not asked.`
    : `${id} was asked ${calls === 1 ? "once" : `${calls} times`}: ${inputTokens} tokens in, ${outputTokens} out.`;
