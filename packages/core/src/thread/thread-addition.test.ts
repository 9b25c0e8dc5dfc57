import { describe, expect, it } from "vitest";
import type { MessageInput } from "../model/message.ts";
import { placeMessage, START_OF_THREAD, startsTurn } from "./thread-addition.ts";

const message = (fields: Partial<MessageInput>): MessageInput =>
  ({ id: "m", role: "user", parts: [], createdAt: "2025-01-01T00:00:00.000Z", ...fields }) as MessageInput;

describe("turns and steps", () => {
  it("S3: only a user message of the main branch that somebody typed starts a turn", () => {
    expect(startsTurn(message({}))).toBe(true);
    expect(startsTurn(message({ origin: "harness" }))).toBe(false);
    expect(startsTurn(message({ origin: "compaction" }))).toBe(false);
    expect(startsTurn(message({ branch: "subagent" }))).toBe(false);
    for (const role of ["system", "assistant", "tool"] as const) expect(startsTurn(message({ role }))).toBe(false);
  });

  it("numbers turns by user messages and steps by model calls", () => {
    const roles = ["system", "user", "assistant", "tool", "tool", "assistant", "user", "user", "assistant"] as const;
    const positions: string[] = [];
    let position = START_OF_THREAD;
    for (const role of roles) {
      position = placeMessage(position, message({ role }));
      positions.push(`${position.turn}.${position.step}`);
    }
    expect(positions).toEqual(["0.0", "1.0", "1.1", "1.1", "1.1", "1.2", "2.2", "3.2", "3.3"]);
  });
});
