import { nearestName, ThreadfoldError } from "./threadfold-error.ts";

// Arguments of JavaScript callers are checked at the entry points: further inside, errors would surface far from their
// cause, or as a TypeError that names none of the caller's words.

/** Refuses an option or argument. @throws ThreadfoldError `INVALID_CONFIG` that names it, always. */
export function refuseArgument(name: string, problem: string, hint?: string): never {
  throw new ThreadfoldError("INVALID_CONFIG", `${name}: ${problem}`, {
    ...(hint !== undefined && { hint }),
    details: { name },
  });
}

/** Checks whether a value is an object with a member of that name, its own or inherited. */
export const hasMember = (value: unknown, member: PropertyKey): boolean =>
  typeof value === "object" && value !== null && member in value;

const isCallable = (value: unknown): boolean => typeof value === "function";
/** Checks whether a value is an object, and no list. */
export const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** How the value of an option is checked, and what it has to be. What `any` is, is checked elsewhere. */
const KINDS = {
  any: [() => true, ""],
  flag: [(value) => typeof value === "boolean", "true or false"],
  text: [(value) => typeof value === "string", "a text"],
  name: [(value) => typeof value === "string" && value !== "", "a text that is not empty"],
  figure: [(value) => typeof value === "number" && value >= 0, "a number, 0 or higher"],
  milliseconds: [(value) => Number.isFinite(value) && Number(value) >= 0, "a number of milliseconds, 0 or higher"],
  call: [isCallable, "a function"],
  list: [(value) => Array.isArray(value), "a list"],
  object: [isObject, "an object"],
  clock: [(value) => isCallable(Object(value).now), "an object with a method now"],
  signal: [(value) => hasMember(value, "aborted") && hasMember(value, "addEventListener"), "an AbortSignal"],
} satisfies Readonly<Record<string, readonly [(value: unknown) => boolean, string]>>;

/** A kind of value, or a list of the values that there are. */
export type OptionKind = keyof typeof KINDS | readonly string[];
/** The kind of every option; the compiler ensures that none is missing. */
export type OptionKinds<Options> = { readonly [Name in keyof Options]-?: OptionKind };

/** Names that are valid in another place, such as `config`. They are asked for when a name is unknown. */
interface OptionsElsewhere {
  readonly place: string;
  readonly names: () => readonly string[];
}

/** Checks an argument. @throws ThreadfoldError `INVALID_CONFIG` that names it. */
export function checkArgument(name: string, value: unknown, kind: OptionKind): void {
  const [isValid, what] =
    typeof kind === "string"
      ? KINDS[kind]
      : [(given: unknown) => kind.includes(given as string), `one of ${kind.join(", ")}`];
  if (!isValid(value)) refuseArgument(name, `it has to be ${what}.`, `Pass ${what}.`);
}

/**
 * Checks that a part of the host's own has the methods that are called on it.
 *
 * @param hint where to get such a part.
 * @throws ThreadfoldError `INVALID_CONFIG` that names the first one that is missing.
 */
export function checkCalls(name: string, part: unknown, calls: readonly string[], hint?: string): void {
  const missing = calls.find((call) => !isCallable(Object(part)[call]));
  if (missing === undefined) return;
  const needed = `It needs ${calls.join(", ")}.`;
  refuseArgument(`${name}.${missing}`, "it has to be a function.", hint === undefined ? needed : `${hint} ${needed}`);
}

/** Checks a list of parts, each as {@link checkCalls} does. @throws ThreadfoldError `INVALID_CONFIG` that names it. */
export function checkEach(name: string, parts: readonly unknown[], calls: readonly string[]): void {
  checkArgument(name, parts, "list");
  for (const [index, part] of parts.entries()) checkCalls(`${name}[${index}]`, part, calls);
}

/** Checks what is passed as an open store. @throws ThreadfoldError `INVALID_CONFIG` that names what it lacks. */
export function checkStore(store: unknown): void {
  const missing = ["threads", "plans", "artifacts", "journal"].find((part) => !hasMember(store, part));
  if (missing !== undefined)
    refuseArgument("store", `it has no ${missing}.`, "Pass what `await openStore(address)` returned.");
}

/**
 * Checks what is passed as the client of a provider's SDK.
 *
 * @param call the path of the client's method that is called.
 * @throws ThreadfoldError `INVALID_CONFIG` when it has no such method.
 */
export function checkClient(client: unknown, call: string): void {
  const method = call.split(".").reduce((part: unknown, name): unknown => Object(part)[name], client);
  if (!isCallable(method)) refuseArgument("client", `it has no ${call}.`, "Pass the client of the provider's SDK.");
}

/**
 * Checks the names of all options, because a misspelled one would otherwise be ignored silently, and the kinds of their
 * values. Those that are left out, or undefined, are not checked.
 *
 * @param argument the name of the argument that holds the options.
 * @param elsewhere where an unknown name may have been meant to stand.
 * @throws ThreadfoldError `INVALID_CONFIG` that names the option, and what was probably meant by an unknown one.
 */
export function checkOptions<Options extends object>(
  argument: string,
  options: Options,
  kinds: OptionKinds<Options>,
  elsewhere?: OptionsElsewhere,
): void {
  const known = Object.keys(kinds);
  if (!isObject(options)) refuseArgument(argument, "it has to be an object.", `Its fields: ${known.join(", ")}.`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) refuseUnknownOption(unknown, known, elsewhere);
  for (const [name, kind] of Object.entries<OptionKind>(kinds)) {
    const value: unknown = options[name as keyof Options];
    if (value !== undefined) checkArgument(name, value, kind);
  }
}

function refuseUnknownOption(
  unknown: string,
  known: readonly string[],
  elsewhere: OptionsElsewhere | undefined,
): never {
  const names = elsewhere?.names() ?? [];
  const placed = names.map((name) => [`${elsewhere?.place}.${name}`, name] as const);
  const exact = placed.find(([, name]) => name === unknown)?.[0];
  const near = nearestName(unknown, known) ?? placed.find(([, name]) => name === nearestName(unknown, names))?.[0];
  const meant = exact ?? near;
  refuseArgument(
    unknown,
    "there is no such option.",
    meant === undefined ? `Known options: ${known.join(", ")}.` : `Did you mean ${meant}?`,
  );
}
