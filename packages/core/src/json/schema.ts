/**
 * The parts of zod that Threadfold validates with, as a separate entry point that is built with only these parts
 * bundled. Zod's own entry point loads everything, including messages in sixty languages, which made importing
 * Threadfold slower. Types and objects are zod's own and compatible with those of any zod 4 (https://zod.dev).
 *
 * Making a schema takes zod longer than using it, and a program uses few of them: one with several fields is `lazy`,
 * which makes it when it is first used.
 */

export type * from "zod";
export {
  array,
  boolean,
  custom,
  discriminatedUnion,
  enum,
  int,
  iso,
  lazy,
  literal,
  looseObject,
  null,
  number,
  object,
  record,
  strictObject,
  string,
  toJSONSchema,
  union,
  unknown,
} from "zod";
