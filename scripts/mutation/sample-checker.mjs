// A Stryker plugin that lets through only the mutants of the sample. Stryker itself accepts only places, and a place
// includes all its mutants and those inside it.
import { readFileSync } from "node:fs";
import { CheckStatus } from "@stryker-mutator/api/check";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import { keyOf } from "./sample.mjs";

/** The environment variable with the path of the sample's keys, a JSON array. */
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
