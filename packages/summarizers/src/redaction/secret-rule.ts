/** Finds the secrets of one issuer, or of a few related ones. */
export interface SecretRule {
  /** At least one of these occurs in any text in which the rule finds something. A rule without anchors always runs. */
  readonly anchors?: readonly Anchor[];
  find(text: string): Promise<readonly FoundSecret[]> | readonly FoundSecret[];
}

/** A range of a text that is considered a secret. */
export interface FoundSecret {
  readonly start: number;
  readonly end: number;
  /** The rule's name for it, such as `GITHUB_TOKEN`. */
  readonly messageId: string;
}

/** The characters that anchors are built around, rare enough in any text that checking each occurrence costs little. */
type AnchorSign = "_" | "-" | "." | ":" | "=" | "@" | "$" | "A" | "S";

/**
 * A mark that every secret of a kind contains: a character and what comes directly before and after it, both as sources
 * of regular expressions without capturing groups.
 */
export interface Anchor {
  readonly before?: string;
  readonly sign: AnchorSign;
  readonly after?: string;
}

/** Returns the source of a pattern that matches a word of ASCII letters case-insensitively. */
export const inAnyCase = (word: string): string =>
  [...word].map((letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`).join("");

/**
 * Returns a rule with a single pattern. If the pattern begins with a group named `name`, what that group matches is not
 * part of the secret.
 *
 * @param isSecret decides whether a match, without its name, is a secret. By default every match is one.
 */
export function rule(
  messageId: string,
  pattern: RegExp,
  anchors: readonly Anchor[],
  isSecret: (match: string) => boolean = () => true,
): SecretRule {
  return {
    ...(anchors.length > 0 && { anchors }),
    find: (text) =>
      [...text.matchAll(pattern)].flatMap(({ index, 0: match, groups }) => {
        const start = index + (groups?.["name"]?.length ?? 0);
        const end = index + match.length;
        return isSecret(text.slice(start, end)) ? [{ start, end, messageId }] : [];
      }),
  };
}

/** Beginnings of values that stand in for a secret in templates, documentation or code. */
export const PLACEHOLDER =
  /^(?:<|\$|%|\{|\[|\(|\*{3}|\.{3}|x{4}|0{6}|your|my[-_]|some|example|sample|change|replace|insert|placeholder|redacted|dummy|fake|mock|test|todo|none|null|undefined|true|false|env\b|process\.|os\.|pass(?:word|wd|phrase)?\d{0,3}$|secret$|token$|user$)/i;
/** Beginnings of values that stand in for one where any word could be a password: what a shell or a program fills in. */
const FILLED_IN = /^(?:[<$%{[(*\s+.,)|-]|x{3}|your|my[-_]?(?:pass|pwd|secret|token)|redacted)/i;
/** What a description of an option says instead of a value, and settings that are no passwords. */
const SAYS_ITS_KIND =
  /^(?:PASSWORD|PASSWD|PASS|PWD|PW|SECRET|TOKEN|(?:string|text|value|str|arg|file|options?|true|false|yes|no|on|off|none|null|undefined|\d))$/;
/** A variable, a property or a call in a program. */
const EXPRESSION = /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)+$|[([{]/;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
/** Words joined by hyphens or by slashes, as names and paths are. */
const WORDS = /^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+|\d{1,4})(?:[-_/.:](?:[a-z]+|[A-Z]+|[A-Z][a-z]+|\d{1,4}))+$/;

/** A file path. */
const PATH = /^(?:~|\.{1,2})?\/[\w.@-]+\/[\w.@-]+/;

const digitsIn = (value: string): number => value.replace(/\D/g, "").length;

/**
 * True for a value that somebody made up or generated, as opposed to a placeholder, a name, or a piece of a program.
 */
export const isMadeUp = (value: string): boolean =>
  /[A-Za-z]/.test(value) &&
  /\d/.test(value) &&
  !PLACEHOLDER.test(value) &&
  !EXPRESSION.test(value) &&
  !WORDS.test(value) &&
  !PATH.test(value) &&
  (!IDENTIFIER.test(value) || digitsIn(value) >= 2 || /[a-z]\d[a-z]/i.test(value));

/**
 * Words that describe a password or its requirements in schemas, forms and messages; and words in well-known passwords.
 */
const SAYS_WHAT_IT_IS = new RegExp(
  [
    "pass|pwd|secret|hash|crypt|string|type|field|input|value|valid|requir|option|hidden|mask|integer|number|float|bool",
    "object|array|schema|scalar|default|empty|missing|incorrect|wrong|denied|expired|forgot|reset|change|update|confirm",
    "please|should|cannot|failed|error|success|example|sample|encod|decod|credential|config|setting|param|function",
    "disabled|enabled|sensitive|generat|minim|maxim|strong|complex|length|plain|mandatory|ignored|stored|provided|supplied",
    "protect|locked|rotat|vault|prompt|random|match|charact|attribute|expect|unknown|unset|literal|keychain|keyring|manager",
    // Labels of forms, and words about passwords, in other languages.
    "kennwort|wachtwoord|adgangskode|kodeord|losenord|salasana|contrase|parola|senha|heslo|sandi|obligat|requis|oblig",
    "erforderlich|notwendig|pflicht|falsch|unbekannt|vergessen|geheim|fehlt|eingeben|wiederhol|mindest|beliebig",
    "postgres|mysql|maria|mongo|redis|rabbit|minio|oracle|sqlite|admin",
    "\\b(?:str|int|text|char|bytes?|blob|any|void|never|must|enter|enum|model|self|this|user|login|root|guest|prop|salt)s?\\b",
    "\\b(?:used|sent|given|same|see|below|above|env|file|ask|asked|omit|omitted|skip|skipped|long|short|letter|word|weak)s?\\b",
  ].join("|"),
  "i",
);
/** An e-mail address, a method of a class (`Type#method`), or a non-null type (`TypeName!`). */
const NAME_WITH_SIGN = /@[\w-]+\.\w|^[A-Z]\w*#\w+|^[A-Z][a-z]+(?:[A-Z][a-z]+)+!$/;

/**
 * True for a value without digits that has special characters where words have none, or capitals where names have none.
 */
const isScrambled = (value: string): boolean => {
  if (!/^[A-Za-z][^\s\d|=+?(){}[\]]{7,}$/.test(value) || PLACEHOLDER.test(value) || NAME_WITH_SIGN.test(value))
    return false;
  if (EXPRESSION.test(value) || WORDS.test(value) || PATH.test(value) || SAYS_WHAT_IT_IS.test(value)) return false;
  const parts = value.match(/[A-Z]*[a-z]*/g)?.filter((part) => part !== "").length ?? 0;
  return (
    /[!@#$%^*~][A-Za-z!@#$%^*~]|[A-Za-z]!$/.test(value) || (/^[A-Za-z]+$/.test(value) && parts * 2.5 >= value.length)
  );
};

/** True for a single word that does not describe a password. */
export const isOneWord = (value: string): boolean =>
  /^[A-Za-z][A-Za-z_-]{5,}$/.test(value) && !PLACEHOLDER.test(value) && !SAYS_WHAT_IT_IS.test(value);

/** The value without surrounding quotes. */
const bare = (value: string): string => value.replace(/^[\\"']+|[\\"']+$/g, "");
export const isPassword = (value: string): boolean => isMadeUp(bare(value)) || isScrambled(bare(value));
/** For places where only a password can be, so that any word may be one. */
export const isGivenPassword = (value: string): boolean => isPassword(value) || isOneWord(bare(value));
/**
 * Keys and tokens are random and long. Shorter values, or values in one case with few digits, are more likely names.
 */
export const isKey = (value: string): boolean => {
  const key = bare(value);
  const isLong = key.length >= 24 && /[a-z]/.test(key) && /[A-Z]/.test(key);
  return key.length >= 16 && digitsIn(key) >= (isLong ? 1 : 2) && isMadeUp(key);
};
/** For arguments of commands, where anything is a password except what stands for one. */
export const isGiven = (value: string): boolean =>
  !FILLED_IN.test(value) && !SAYS_ITS_KIND.test(value) && !PATH.test(value);

/**
 * The code used for any character beyond ASCII and for no character at all; either may occur next to an anchor's sign.
 */
const BEYOND = 128;
const BITS = 32;

/**
 * The anchors around one sign, as bit sets: which of them are possible for each last non-space character before the
 * sign, and for each character directly after it.
 */
interface AnchorsOfSign {
  /** Where the bits of this sign begin within those of all signs, and their number, in 32-bit words. */
  readonly word: number;
  readonly words: number;
  readonly before: Int32Array;
  readonly behind: Int32Array;
}

/**
 * Finds out which kinds of secrets a text may contain, by their anchors, in one pass over its characters. At each sign,
 * the characters on either side determine which anchors are possible, and only those are tried, so that a text full of
 * signs costs about as much as one with few.
 */
export class AnchorSearch<Kind> {
  readonly #signs: readonly (AnchorsOfSign | undefined)[];
  readonly #anchors: { readonly kind: Kind; readonly pattern: RegExp }[] = [];
  readonly #bitsOf = new Map<Kind, number[]>();
  readonly #words: number;

  constructor(anchors: ReadonlyMap<Kind, readonly Anchor[]>) {
    const all = [...anchors].flatMap(([kind, of]) => of.map((anchor) => ({ kind, anchor })));
    const signs: AnchorsOfSign[] = [];
    let word = 0;
    for (const [sign, of] of Map.groupBy(all, ({ anchor }) => anchor.sign)) {
      const words = Math.ceil(of.length / BITS);
      signs[sign.charCodeAt(0)] = this.#take(of, word, words);
      word += words;
    }
    this.#signs = Array.from({ length: BEYOND }, (_, code) => signs[code]);
    this.#words = word;
  }

  #take(of: readonly { kind: Kind; anchor: Anchor }[], word: number, words: number): AnchorsOfSign {
    const before = new Int32Array((BEYOND + 1) * words);
    const behind = new Int32Array((BEYOND + 1) * words);
    for (const [index, { kind, anchor }] of of.entries()) {
      const bit = word * BITS + index;
      this.#anchors[bit] = { kind, pattern: new RegExp(sourceOf(anchor), "y") };
      this.#bitsOf.set(kind, [...(this.#bitsOf.get(kind) ?? []), bit]);
      const [left, right] = [edgesOf(anchor.before ?? ""), edgesOf(anchor.after ?? "")];
      for (let code = 0; code <= BEYOND; code++) {
        const at = code * words + (index >>> 5);
        const isAny = code === BEYOND;
        if (isAny || left.canBeBlank || left.last.has(code))
          before[at] = (before[at] as number) | (1 << (index % BITS));
        if (isAny || right.canBeEmpty || right.first.has(code))
          behind[at] = (behind[at] as number) | (1 << (index % BITS));
      }
    }
    return { word, words, before, behind };
  }

  /** Returns the kinds that have an anchor whose sign is in the given range of a text; by default the whole text. */
  kindsIn(text: string, start = 0, end = text.length): ReadonlySet<Kind> {
    const kinds = new Set<Kind>();
    const open = new Int32Array(this.#words).fill(-1);
    for (let index = start; index < end; index++) {
      const code = text.charCodeAt(index);
      const sign = code < BEYOND ? this.#signs[code] : undefined;
      if (sign !== undefined) this.#kindsAt(text, index, sign, open, kinds);
    }
    return kinds;
  }

  #kindsAt(
    text: string,
    index: number,
    { word, words, before, behind }: AnchorsOfSign,
    open: Int32Array,
    kinds: Set<Kind>,
  ): void {
    let last = index - 1;
    while (isBlank(codeAt(text, last))) last--;
    const [left, right] = [codeAt(text, last) * words, codeAt(text, index + 1) * words];
    for (let at = 0; at < words; at++) {
      let bits = (before[left + at] as number) & (behind[right + at] as number) & (open[word + at] as number);
      for (; bits !== 0; bits &= bits - 1) {
        const bit = (word + at) * BITS + (31 - Math.clz32(bits & -bits));
        const { kind, pattern } = this.#anchors[bit] as { kind: Kind; pattern: RegExp };
        pattern.lastIndex = index;
        if (kinds.has(kind) || !pattern.test(text)) continue;
        kinds.add(kind);
        for (const known of this.#bitsOf.get(kind) ?? [])
          open[known >>> 5] = (open[known >>> 5] as number) & ~(1 << (known % BITS));
      }
    }
  }
}

function codeAt(text: string, index: number): number {
  return index < 0 || index >= text.length ? BEYOND : Math.min(text.charCodeAt(index), BEYOND);
}

/** True for ASCII white space. */
const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);

/** The source of a pattern that matches the sign of an anchor, if the rest of the anchor is around it. */
function sourceOf({ before, sign, after }: Anchor): string {
  const literal = sign === "." || sign === "$" ? `\\${sign}` : sign;
  const behind = before === undefined ? "" : `(?<=(?:${before})${literal})`;
  return `${literal}${behind}${after === undefined ? "" : `(?=${after})`}`;
}

/** The ASCII characters with which matches of a pattern can begin and, ignoring white space, end. */
interface Edges {
  readonly first: ReadonlySet<number>;
  readonly last: ReadonlySet<number>;
  readonly canBeEmpty: boolean;
  /** True when a match can be empty or only white space. */
  readonly canBeBlank: boolean;
}

const NOTHING: Edges = { first: new Set(), last: new Set(), canBeEmpty: true, canBeBlank: true };
/** A piece of a pattern (the start of a group, a bar, the end of a group, a character or class), and a quantifier. */
const PIECE = /(\(\?:)|(\|)|(\))|(\[(?:[^\]\\]|\\.)*\]|\\.|[^[\](){}*+?|\\])/y;
const OFTEN = /[*?]|\+|\{(\d+)(?:,\d*)?\}/y;

/** Determines the edges of an anchor from its source. */
function edgesOf(source: string): Edges {
  let position = 0;
  const piece = (): RegExpExecArray | null => {
    PIECE.lastIndex = position;
    const found = PIECE.exec(source);
    if (found === null && position < source.length) throw new Error(`An anchor has what nobody reads: ${source}`);
    position = found === null ? position : PIECE.lastIndex;
    return found;
  };
  const often = (edges: Edges): Edges => {
    OFTEN.lastIndex = position;
    const found = OFTEN.exec(source);
    if (found === null) return edges;
    position = OFTEN.lastIndex;
    const mayLack = found[0] === "*" || found[0] === "?" || found[1] === "0";
    return { ...edges, canBeEmpty: edges.canBeEmpty || mayLack, canBeBlank: edges.canBeBlank || mayLack };
  };
  const alternatives = (): Edges => {
    const all: Edges[] = [NOTHING];
    for (let found = piece(); found !== null && found[3] === undefined; found = piece()) {
      if (found[2] !== undefined) all.push(NOTHING);
      else all.push(joined(all.pop() as Edges, often(found[1] === undefined ? edgesOfOne(found[0]) : alternatives())));
    }
    return {
      first: new Set(all.flatMap(({ first }) => [...first])),
      last: new Set(all.flatMap(({ last }) => [...last])),
      canBeEmpty: all.some(({ canBeEmpty }) => canBeEmpty),
      canBeBlank: all.some(({ canBeBlank }) => canBeBlank),
    };
  };
  return alternatives();
}

function joined(left: Edges, right: Edges): Edges {
  return {
    first: left.canBeEmpty ? new Set([...left.first, ...right.first]) : left.first,
    last: right.canBeBlank ? new Set([...left.last, ...right.last]) : right.last,
    canBeEmpty: left.canBeEmpty && right.canBeEmpty,
    canBeBlank: left.canBeBlank && right.canBeBlank,
  };
}

const knownEdges = new Map<string, Edges>();

function edgesOfOne(piece: string): Edges {
  const known = knownEdges.get(piece);
  if (known !== undefined) return known;
  const pattern = new RegExp(piece);
  const codes = Array.from({ length: BEYOND }, (_, code) => code);
  const matched = new Set(codes.filter((code) => pattern.test(String.fromCharCode(code))));
  const last = new Set(matched);
  for (const code of matched) if (isBlank(code)) last.delete(code);
  const edges: Edges = { first: matched, last, canBeEmpty: false, canBeBlank: last.size < matched.size };
  knownEdges.set(piece, edges);
  return edges;
}
