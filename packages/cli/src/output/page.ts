import type { CliOutput } from "../cli-io.ts";
import { type Environment, isColourful, type Paint, painter } from "./paint.ts";

/** Where a report is printed: how wide it is, and how it marks things. */
export interface Page {
  /** Never more than 100, so that a report reads the same in a wide terminal and in a log. */
  readonly columns: number;
  readonly paint: Paint;
  /** True when control characters would reach a terminal. */
  readonly isTerminal: boolean;
}

const WIDEST = 100;
const NARROWEST = 40;

/** The page of an output; a terminal that does not know its width says 0. `colour` is false when the caller switched colours off. */
export function pageOf(output: CliOutput, env: Environment, colour: boolean): Page {
  const columns = Math.min(WIDEST, Math.max(NARROWEST, output.columns || WIDEST));
  return { columns, paint: painter(colour && isColourful(env, output.isTTY)), isTerminal: output.isTTY };
}
