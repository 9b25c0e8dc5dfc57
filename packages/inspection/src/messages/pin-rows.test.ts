import { AgentThread, asMessageId, asPinId, asThreadId, type ThreadEntryInput } from "@threadfold/core";
import { expect, it } from "vitest";
import { PinRows } from "./pin-rows.ts";

const said = (id: string, text: string): ThreadEntryInput => ({
  type: "message",
  message: {
    id: asMessageId(id),
    createdAt: "2026-03-01T12:00:00.000Z",
    role: "user",
    parts: [{ type: "text", text }],
  },
});
const pin = (id: string): ThreadEntryInput => ({
  type: "pin",
  pin: { id: asPinId(id), text: `rule ${id}`, authority: "user", origin: "explicit" },
});

it("names who lifted a standing instruction, and the message that did", () => {
  const thread = AgentThread.empty(asThreadId("t")).appendEntries([
    pin("a"),
    pin("b"),
    pin("c"),
    said("m0", "hello"),
    said("m1", "forget it"),
    {
      type: "pin-lifted",
      pinId: asPinId("a"),
      authority: "user",
      reason: "forget it",
      why: "taken-back",
      source: { messageId: asMessageId("m1"), start: 0, end: 9 },
    },
    { type: "pin-lifted", pinId: asPinId("b"), authority: "operator", reason: "The freeze is over." },
  ]);
  const rows = new PinRows();
  rows.take(thread);
  expect(rows.rows).toMatchObject([
    { id: "a", liftedAt: 6, liftedWhy: "taken-back", liftedBy: "user", liftedIn: 1 },
    { id: "b", liftedAt: 7, liftedWhy: "The freeze is over.", liftedBy: "operator", liftedIn: -1 },
    { id: "c", liftedAt: null, liftedWhy: null, liftedBy: null, liftedIn: -1 },
  ]);
});
