import { describe, expect, it } from "vitest";
import { OPENAI_RESPONSES_REQUIREMENTS } from "../formats/openai-responses/format.ts";
import { keptMessage } from "../neutral/draft-view.ts";
import { messagesAt, threadOf } from "../testing/sample-thread.ts";
import { itemKeys } from "./provider-items.ts";

describe("itemKeys", () => {
  const opaque = (value: Readonly<Record<string, string>>) => ({ type: "opaque", provider: "openai", value }) as const;
  const thread = threadOf(
    ["assistant", "so", opaque({ type: "shell_call", id: "sh_1", call_id: "c" })],
    ["user", opaque({ type: "shell_call_output", call_id: "c" }), opaque({ type: "web_search_call", id: "ws_1" })],
  );
  const [asks, answers] = messagesAt(thread, 1, 2).map(keptMessage);

  it("ties a call to its answer and an item to its repetition", () => {
    expect(itemKeys(asks!, OPENAI_RESPONSES_REQUIREMENTS)).toEqual(["shell_call c", "id sh_1"]);
    expect(itemKeys(answers!, OPENAI_RESPONSES_REQUIREMENTS)).toEqual(["shell_call c", "id ws_1"]);
  });

  it("ties nothing where the format asks for nothing", () => {
    expect(itemKeys(asks!, {})).toEqual([]);
  });
});
