/**
 * What of zod Threadfold checks values with. An entry of its own, which is built with these parts of zod inside: zod's
 * door opens on all that it has, the messages of sixty languages among it, which an import of Threadfold had to wait for.
 * Types and objects are zod's own and go together with those of any zod 4 (https://zod.dev).
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
