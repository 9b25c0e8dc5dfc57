import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Drivers, loadDriver } from "./load-driver.ts";

/** A package that is installed nowhere but where a test puts it. */
const NAME = "threadfold-test-driver" as keyof Drivers;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-driver-"));
  vi.spyOn(process, "cwd").mockReturnValue(folder);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function install(source: string): void {
  const place = join(folder, "node_modules", NAME);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "index.js"), source);
}

describe("a driver that is installed where it is used", () => {
  it("is the package that an import gives", () => {
    expect(loadDriver("pg").Pool).toBe(pg.Pool);
  });

  it("is found in the project when this code stands elsewhere, as in a bundle", () => {
    install("module.exports = { found: true };");
    expect(loadDriver(NAME)).toEqual({ found: true });
  });

  it("is asked for with the command that installs it", () => {
    expect(() => loadDriver(NAME)).toThrow(
      expect.objectContaining({
        code: "INVALID_CONFIG",
        message: `The package ${NAME} is needed for this address.`,
        hint: expect.stringContaining(`npm install ${NAME}`),
      }),
    );
  });

  it("lets other failures of the package through", () => {
    install('require("something-it-lacks");');
    expect(() => loadDriver(NAME)).toThrow(/something-it-lacks/);
  });
});
