import { isFileName } from "./file-extension.ts";

/**
 * What a run of signs names. A weak path is two words with a slash between, and a chain is names with dots between, such
 * as `entry.message.role`: prose and logs have both, so they count only where the agent used them.
 */
export interface RunReading {
  readonly text: string;
  readonly kind: "path" | "weak-path" | "chain" | "name" | "number";
}

/** Shorter runs are words, longer ones are data. In UTF-16 code units. */
const MIN_LENGTH = 6;
const MAX_LENGTH = 219;
/** Ids that begin with a digit are longer than `12-line` and `40-def`. */
const LONG_ID = 16;

/** `./` says nothing, `...` is no folder, of `//host/path` the slashes belong to the scheme, and `-` and `+` are marks. */
const BEFORE = /^(?:[-+]+|\.\/|\.{3,}\/?|\/\/)+/;
/** `.`, `-`, `/`, `+` and `@` end sentences and lists. */
const AFTER = /[-./+@]+$/;
/** A name has a sign that plain words lack: an underscore, an inner capital, or digits beside letters. */
const NAME = /^(?=.*[A-Za-z\u00C0-\u052F])(?:.*[_\d]|.*[a-z][A-Z]|.+[A-Z][a-z])/;
const CHAIN = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)+$/;
const NUMBER = /^\d+$/;
/** Fewer letters than three make no path: `1/2/3/4/5`. */
const THREE_LETTERS = /\p{L}.*?\p{L}.*?\p{L}/u;

/** The paths, names and numbers in a run: most often one, `self.block_manager.get_table` names itself and two of its parts. */
export function readRun(run: string): readonly RunReading[] {
  const text = run.length > MAX_LENGTH ? "" : trimmed(run);
  if (text.length < MIN_LENGTH) return [];
  if (text.includes("/")) return readPath(text);
  if (/[@~+]/.test(text)) return [];
  if (text.includes(".")) return isFileName(text) ? [{ text, kind: "path" }] : readChain(text);
  return text.includes("-") ? readDashed(text) : readName(text);
}

/** Without the signs at its ends that belong to the text around it. */
const trimmed = (run: string): string => run.replace(AFTER, "").replace(BEFORE, "");

/** Prose joins words by a slash, too; a path has an extension, depth, or a name that no word has. */
function readPath(text: string): readonly RunReading[] {
  if (!THREE_LETTERS.test(text)) return [];
  const slashes = text.split("/").length - 1;
  const strong = /[._]/.test(text) || slashes > (text.startsWith("/") ? 2 : 1);
  return [{ text, kind: strong ? "path" : "weak-path" }];
}

/** The whole chain, which an edit has to repeat word for word, and the names in it. */
function readChain(text: string): readonly RunReading[] {
  const names = text.split(/[.-]/).flatMap(readName);
  return CHAIN.test(text) ? [{ text, kind: "chain" }, ...names] : names;
}

function readDashed(text: string): readonly RunReading[] {
  if (!/[\d_]/.test(text) || !/\p{L}/u.test(text)) return [];
  return /^\d/.test(text) && text.length < LONG_ID ? [] : [{ text, kind: "name" }];
}

function readName(text: string): readonly RunReading[] {
  if (text.length < MIN_LENGTH) return [];
  if (NUMBER.test(text)) return [{ text, kind: "number" }];
  return NAME.test(text) ? [{ text, kind: "name" }] : [];
}
