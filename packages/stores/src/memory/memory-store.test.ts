import { keepLaws } from "@threadfold/core/laws";
import { describe, it } from "vitest";
import { storeLaws } from "../laws/store-laws.ts";
import { createMemoryStore } from "./memory-store.ts";

keepLaws("memory store", storeLaws({ open: async ({ clock }) => createMemoryStore({ clock }) }), {
  describe,
  it,
});
