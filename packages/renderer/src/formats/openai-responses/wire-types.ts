import type { JsonObject, JsonValue } from "@threadfold/core";

// Type aliases instead of interfaces: only aliases are assignable to `JsonObject`.

/** Marks the end of a prefix to cache. Models before GPT-5.6 reject it. */
export type ResponsesCacheMark = { readonly prompt_cache_breakpoint?: { readonly mode: "explicit" } };

/** A text in the input. */
export type ResponsesInputText = { readonly type: "input_text"; readonly text: string } & ResponsesCacheMark;

/** An image: a URL, which may contain the bytes, or an uploaded file. */
export type ResponsesInputImage = {
  readonly type: "input_image";
  readonly detail: "auto" | "low" | "high" | "original";
  readonly image_url?: string;
  readonly file_id?: string;
} & ResponsesCacheMark;

/** A document: a data URL with its name, a URL, or an uploaded file. */
export type ResponsesInputFile = {
  readonly type: "input_file";
  readonly file_data?: string;
  readonly file_url?: string;
  readonly file_id?: string;
  readonly filename?: string;
} & ResponsesCacheMark;

/** One piece of input content. */
export type ResponsesInputContent = ResponsesInputText | ResponsesInputImage | ResponsesInputFile;

/** Whether a message is the model's final answer or a remark on the way there. */
export type ResponsesPhase = "commentary" | "final_answer";

/** A message of any role, without an id. */
export type ResponsesMessage = {
  readonly type: "message";
  readonly role: "user" | "system" | "developer" | "assistant";
  readonly content: string | readonly ResponsesInputContent[];
  readonly phase?: ResponsesPhase;
};

/** A message of the model as it arrived, with its id. */
export type ResponsesOutputMessage = {
  readonly type: "message";
  readonly id: string;
  readonly role: "assistant";
  readonly status: "completed";
  readonly content: readonly (
    | { readonly type: "output_text"; readonly text: string; readonly annotations: readonly JsonValue[] }
    | { readonly type: "refusal"; readonly refusal: string }
  )[];
  readonly phase?: ResponsesPhase;
};

/**
 * Self-contained, encrypted reasoning. OpenAI's own types require an id; the API accepts the item without one, which is
 * how it must be sent when the items that belong to it have no id either.
 */
export type ResponsesReasoning = {
  readonly type: "reasoning";
  readonly id?: string;
  readonly summary: readonly { readonly type: "summary_text"; readonly text: string }[];
  readonly content?: readonly { readonly type: "reasoning_text"; readonly text: string }[];
  readonly encrypted_content: string;
};

/** Who made a call: the model, or a program that it wrote. */
export type ResponsesCaller = { readonly type: "direct" } | { readonly type: "program"; readonly caller_id: string };

/** A call; its arguments are a JSON object as text. */
export type ResponsesFunctionCall = {
  readonly type: "function_call";
  readonly id?: string;
  readonly call_id: string;
  readonly name: string;
  readonly namespace?: string;
  readonly caller?: ResponsesCaller;
  readonly arguments: string;
};

/** A call of a custom tool; its input is any text. */
export type ResponsesCustomToolCall = {
  readonly type: "custom_tool_call";
  readonly id?: string;
  readonly call_id: string;
  readonly name: string;
  readonly namespace?: string;
  readonly caller?: ResponsesCaller;
  readonly input: string;
};

/**
 * A call of the local shell. OpenAI's own types require an id; Codex sends the item without one, and so must it be sent
 * when its reasoning is gone.
 */
export type ResponsesLocalShellCall = {
  readonly type: "local_shell_call";
  readonly id?: string;
  readonly call_id: string;
  readonly action: JsonValue;
  readonly status: "completed";
};

/**
 * The output of the local shell. OpenAI's own types name its call in `id`, and its guide in `call_id`: it is sent with
 * the one that the host used.
 */
export type ResponsesLocalShellOutput = {
  readonly type: "local_shell_call_output";
  readonly id?: string;
  readonly call_id?: string;
  readonly output: string;
};

/** The output of a tool. */
export type ResponsesToolOutput = {
  readonly type: "function_call_output" | "custom_tool_call_output";
  readonly call_id: string;
  readonly output: string | readonly ResponsesInputContent[];
  readonly caller?: ResponsesCaller;
};

/** An item that Threadfold writes. */
export type ResponsesItem =
  | ResponsesMessage
  | ResponsesOutputMessage
  | ResponsesReasoning
  | ResponsesFunctionCall
  | ResponsesCustomToolCall
  | ResponsesLocalShellCall
  | ResponsesLocalShellOutput
  | ResponsesToolOutput;

/** The input of a custom tool: any text, or text of a grammar. */
export type ResponsesToolFormat =
  | { readonly type: "text" }
  | { readonly type: "grammar"; readonly syntax: "lark" | "regex"; readonly definition: string };

/** A function, or a custom tool. A deferred one is shown to the model once a search has found it. */
export type ResponsesNamedTool =
  | {
      readonly type: "function";
      readonly name: string;
      readonly description?: string;
      readonly parameters: JsonObject;
      readonly strict: boolean;
      readonly defer_loading?: boolean;
    }
  | {
      readonly type: "custom";
      readonly name: string;
      readonly description?: string;
      readonly format?: ResponsesToolFormat;
      readonly defer_loading?: boolean;
    };

/** Tools under one heading, which calls to them name. */
export type ResponsesNamespace = {
  readonly type: "namespace";
  readonly name: string;
  readonly description: string;
  readonly tools: readonly ResponsesNamedTool[];
};

/** A tool of the host, a group of them, or one that runs at the provider, as the host wrote it. */
export type ResponsesTool = ResponsesNamedTool | ResponsesNamespace | JsonObject;

/**
 * Request body of OpenAI's Responses API without model name and output limit. The provider's own items are unchanged.
 */
export type ResponsesRequest = {
  readonly instructions?: string;
  readonly input: readonly (ResponsesItem | JsonValue)[];
  readonly tools?: readonly ResponsesTool[];
  readonly store: false;
  readonly prompt_cache_options?: { readonly mode: "explicit" };
};
