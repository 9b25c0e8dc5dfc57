import { describe, it } from "vitest";
import { storeConformance } from "../conformance/store-conformance.ts";
import { createMemoryStore } from "./memory-store.ts";

storeConformance({ name: "memory", open: async ({ clock }) => createMemoryStore({ clock }) }, { describe, it });
