import { describe, expect, it } from "vitest";
import { loadDriver } from "./load-driver.ts";

const missing = (name: string) => async (): Promise<never> => {
  throw Object.assign(new Error(`Cannot find package '${name}' imported from here`), { code: "ERR_MODULE_NOT_FOUND" });
};

describe("a backend whose driver is not installed", () => {
  it("says what to install", async () => {
    await expect(loadDriver("pg", missing("pg"))).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      hint: "Run: npm install pg",
    });
  });

  it("hides no other failure", async () => {
    await expect(loadDriver("pg", missing("pg-pool"))).rejects.toMatchObject({ code: "ERR_MODULE_NOT_FOUND" });
    expect(await loadDriver("pg", async () => "loaded")).toBe("loaded");
  });
});
