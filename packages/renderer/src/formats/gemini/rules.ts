import { capabilitiesOf } from "../../input/model-capabilities.ts";
import {
  asList,
  asText,
  at,
  EMPTY_MEDIA,
  type Finding,
  isEmptyMedia,
  isPlainObject,
  type LegalityRule,
  type PlainObject,
} from "../../legality/legality-rule.ts";
import { PAIRING_RULES, resultNames } from "../../legality/pairing-rules.ts";
import { type GeminiView, type PlacedPart, placeOf } from "./gemini-view.ts";

/** Before the third generation, signatures are optional. */
const OLDER_MODEL = /gemini-(?:pro|[12])\b/;

/** The API looks back only to the start of the open turn: the last thing that the user said. */
const callSignatures: LegalityRule<GeminiView> = {
  id: "W15",
  description: "In the open turn, the first call of each step carries a thought signature.",
  reference: "Reasoning",
  find({ contents, model }) {
    if (model !== undefined && OLDER_MODEL.test(model)) return [];
    const start = contents.findLastIndex(
      ({ isModel, parts, responses }) => !isModel && parts.length > responses.length,
    );
    return contents
      .slice(start + 1)
      .flatMap(({ isModel, calls: [first] }) =>
        isModel && first !== undefined && !asText(first.part.thoughtSignature)
          ? [{ place: placeOf(first, "thoughtSignature"), problem: "the first call of the step is not signed" }]
          : [],
      );
  },
};

const mediaInResponses: LegalityRule<GeminiView> = {
  id: "media-places",
  description: "A response holds images and documents only if the model supports them, as models from Gemini 3 on do.",
  reference: "Images/docs",
  find({ contents, model }) {
    if (model === undefined || capabilitiesOf(model)?.multimodalResults !== false) return [];
    return contents
      .flatMap(({ responses }) => responses)
      .filter(({ part }) => isPlainObject(part.functionResponse) && asList(part.functionResponse.parts).length > 0)
      .map((placed) => ({ place: placeOf(placed, "functionResponse.parts"), problem: "the response holds media" }));
  },
};

const thoughtsByModel: LegalityRule<GeminiView> = {
  id: "thoughts",
  description: "Thoughts appear only in turns of the model.",
  reference: "Reasoning",
  find: ({ contents }) =>
    contents.flatMap(({ isModel, parts }) =>
      isModel
        ? []
        : parts
            .filter(({ part }) => part.thought === true)
            .map((placed) => ({ place: placeOf(placed), problem: "a thought appears outside a turn of the model" })),
    ),
};

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;
const PROBLEM = "the name is missing or too long, or has characters that are not allowed";
const isNamed = ({ name }: PlainObject): boolean => NAME.test(asText(name) ?? "");

const toolNames: LegalityRule<GeminiView> = {
  id: "tool-names",
  description:
    "Function names begin with a letter or _ and have at most 128 letters, digits, _ . : and -, in calls, responses and definitions.",
  reference: "Tool definitions",
  find: ({ contents, declarations }) => [
    ...declarations
      .filter(({ declaration }) => !isNamed(declaration))
      .map(({ path }) => ({ place: { path: `${path}.name` }, problem: PROBLEM })),
    ...contents.flatMap(({ calls, responses }) =>
      [...calls, ...responses]
        .filter(({ part }) => !isNamed(Object(part.functionCall ?? part.functionResponse)))
        .map((placed) => ({ place: placeOf(placed), problem: PROBLEM })),
    ),
  ],
};

const toolNamesOnce: LegalityRule<GeminiView> = {
  id: "tool-names-once",
  description: "A function is declared only once.",
  reference: "Tool definitions",
  find({ declarations }) {
    const seen = new Set<unknown>();
    return declarations
      .filter(({ declaration: { name } }) => typeof name === "string" && (seen.has(name) || !seen.add(name)))
      .map(({ path }) => ({ place: { path: `${path}.name` }, problem: "the name is already taken" }));
  },
};

const oneSchema: LegalityRule<GeminiView> = {
  id: "one-schema",
  description: "The parameters of a function are an OpenAPI schema or a JSON Schema, not both.",
  reference: "Tool definitions",
  find: ({ declarations }) =>
    declarations
      .filter(
        ({ declaration }) => declaration.parameters !== undefined && declaration.parametersJsonSchema !== undefined,
      )
      .map(({ path }) => ({ place: { path }, problem: "the function has two schemas" })),
};

const responseCount: LegalityRule<GeminiView> = {
  id: "W14",
  description: "The turn directly after a turn of calls holds as many responses as there are calls.",
  reference: "Call → result",
  find: ({ contents }) =>
    contents.flatMap(({ calls, index }) => {
      const next = contents[index + 1];
      const answered = next?.isModel === false ? next.responses.length : 0;
      if (calls.length === 0 || answered === calls.length) return [];
      return [{ place: at(index), problem: `${calls.length} calls are followed by ${answered} responses` }];
    }),
};

const callsBehindUser: LegalityRule<GeminiView> = {
  id: "calls-behind-user",
  description: "A turn of calls comes directly after a turn of the user or of responses.",
  reference: "Call → result",
  find: ({ contents }) =>
    contents.flatMap(({ calls, index }) =>
      calls.length > 0 && contents[index - 1]?.isModel === true
        ? [{ place: at(index), problem: "another turn of the model comes before the calls" }]
        : [],
    ),
};

/** A call may have no arguments; a response must have its object. */
const objectArguments: LegalityRule<GeminiView> = {
  id: "W19",
  description: "The arguments of a call are an object, and so is the content of a response.",
  reference: "Arguments",
  find: ({ contents }) =>
    contents.flatMap(({ calls, responses }) => [
      ...calls
        .filter((placed) => argumentsOf(placed) !== undefined && !isPlainObject(argumentsOf(placed)))
        .map((placed) => ({ place: placeOf(placed, "functionCall.args"), problem: "the arguments are not an object" })),
      ...responses
        .filter(({ part }) => !isPlainObject(Object(part.functionResponse).response))
        .map((placed) => ({
          place: placeOf(placed, "functionResponse.response"),
          problem: "the response is not an object",
        })),
    ]),
};

const responseReferences: LegalityRule<GeminiView> = {
  id: "response-references",
  description: "A `$ref` in a response names an image or document of that response.",
  reference: "Call → result",
  find: ({ contents }) =>
    contents
      .flatMap(({ responses }) => responses)
      .filter(({ part }) => {
        const { response, parts } = Object(part.functionResponse);
        const names = asList(parts).map(
          (media) => Object(Object(media).inlineData ?? Object(media).fileData).displayName,
        );
        return referencesIn(response).some((name) => !names.includes(name));
      })
      .map((placed) => ({
        place: placeOf(placed, "functionResponse.response"),
        problem: "the response refers to something that is not next to it",
      })),
};

/** Returns the values of all `$ref` keys, however deep. */
function referencesIn(response: unknown): readonly unknown[] {
  const found: unknown[] = [];
  const open = [response];
  for (const value of open)
    for (const [key, inner] of Object.entries(Object(value)))
      if (key === "$ref") found.push(inner);
      else if (typeof inner === "object") open.push(inner);
  return found;
}

const argumentsOf = ({ part }: PlacedPart): unknown => Object(part.functionCall).args;

/** Fields that may accompany the content of a part. */
const MARKS: readonly string[] = ["thought", "thoughtSignature", "partMetadata", "videoMetadata", "mediaResolution"];

/** A part that carries a signature may have no text: streams end with one. */
const noEmptyPart: LegalityRule<GeminiView> = {
  id: "W11",
  description:
    "A turn has parts, every part holds something, no text is empty or only white space, and no image or document is empty.",
  reference: "Empty content",
  find: ({ contents }) =>
    contents.flatMap(({ parts, index }): readonly Finding[] =>
      parts.length === 0
        ? [{ place: at(index, undefined, "parts"), problem: "the turn has no parts" }]
        : parts.flatMap((placed) => {
            const problem = problemOf(placed);
            return problem === undefined ? [] : [{ place: placeOf(placed), problem }];
          }),
    ),
};

function problemOf({ part }: PlacedPart): string | undefined {
  if (typeof part.thoughtSignature === "string" && typeof part.text === "string") return undefined;
  if (typeof part.text === "string" && part.text.trim() === "") return "the text is blank";
  if ([part, ...asList(Object(part.functionResponse).parts)].some(hasEmptyMedia)) return EMPTY_MEDIA;
  return Object.keys(part).every((key) => MARKS.includes(key)) ? "the part is empty" : undefined;
}

const hasEmptyMedia = (part: unknown): boolean => isPlainObject(part) && isEmptyMedia(part.inlineData ?? part.fileData);

const hasContents: LegalityRule<GeminiView> = {
  id: "contents",
  description: "There is at least one turn.",
  reference: "Empty content",
  find: ({ contents }) =>
    contents.length > 0 ? [] : [{ place: { path: "$.contents" }, problem: "there are no turns" }],
};

const ROLES: readonly unknown[] = ["user", "model", "function"];

const endsOnUser: LegalityRule<GeminiView> = {
  id: "W9",
  description: "The last turn is from the user, or holds responses.",
  reference: "Last message",
  find({ contents }) {
    const last = contents.length - 1;
    return contents[last]?.isModel === true
      ? [{ place: at(last), problem: "the request ends with a turn of the model" }]
      : [];
  },
};

const startsOnUser: LegalityRule<GeminiView> = {
  id: "W10",
  description: "The first turn is from the user.",
  reference: "First message",
  find: ({ contents }) =>
    contents[0]?.isModel === true ? [{ place: at(0), problem: "the request starts with a turn of the model" }] : [],
};

const knownRoles: LegalityRule<GeminiView> = {
  id: "roles",
  description: "Turns have the role user or model; older clients send responses with the role function.",
  reference: "Roles",
  find: ({ contents }) =>
    contents.flatMap(({ role, index }) =>
      ROLES.includes(role) ? [] : [{ place: at(index, undefined, "role"), problem: "the role is not known" }],
    ),
};

/** The legality table of Gemini. Adding a rule takes a constant and a line here. */
export const GEMINI_RULES: readonly LegalityRule<GeminiView>[] = [
  ...PAIRING_RULES,
  endsOnUser,
  startsOnUser,
  noEmptyPart,
  responseCount,
  callSignatures,
  objectArguments,
  responseReferences,
  callsBehindUser,
  thoughtsByModel,
  mediaInResponses,
  knownRoles,
  hasContents,
  toolNames,
  toolNamesOnce,
  resultNames,
  oneSchema,
];
