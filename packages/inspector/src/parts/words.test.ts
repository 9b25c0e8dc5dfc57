import { expect, it } from "vitest";
import { liftedWords } from "./words.tsx";

it("liftedWords name the first call without the instruction, who lifted it, and why", () => {
  const calls = { threadVersion: [2, 6, 9] };
  const pin = { liftedAt: 6, liftedBy: "user", liftedWhy: "taken-back" };
  expect(liftedWords(pin, calls)).toBe("lifted by the user from call 2 on: taken back");
  expect(liftedWords({ ...pin, liftedAt: 10, liftedWhy: "no-room" }, calls)).toBe(
    "lifted by the user after the last call: newer or higher rules left no room for it",
  );
  expect(liftedWords({ ...pin, liftedBy: "operator", liftedWhy: "not a\u202erule" }, calls)).toBe(
    "lifted by the operator from call 2 on: not a\\u202erule",
  );
  expect(liftedWords({ liftedAt: null, liftedBy: null, liftedWhy: null }, calls)).toBe("");
});
