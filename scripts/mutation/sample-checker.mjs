// A plugin of Stryker that lets through the mutants of the sample and no others. Stryker itself can be told places, and a
// place has all its mutants and those of what is inside of it.
import { readFileSync } from "node:fs";
import { CheckStatus } from "@stryker-mutator/api/check";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import { keyOf } from "./sample.mjs";

/** The variable with the place of the keys of the sample, a JSON array. */
const SAMPLE = "THREADFOLD_MUTATION_SAMPLE";

class SampleChecker {
  async init() {
    this.sample = new Set(JSON.parse(readFileSync(process.env[SAMPLE], "utf8")));
  }

  async group(mutants) {
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants) {
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, this.resultOf(mutant)]));
  }

  resultOf(mutant) {
    if (this.sample.has(keyOf(mutant))) return { status: CheckStatus.Passed };
    return { status: CheckStatus.CompileError, reason: "not in the sample" };
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, "sample", SampleChecker)];
