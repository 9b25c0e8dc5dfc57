import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { isPlainObject } from "../../../legality/plain-object.ts";
import { type GeminiView, type PlacedPart, placeOf } from "../gemini-view.ts";

/** A call may be without arguments; a response is never without its object. */
export const objectArguments: LegalityRule<GeminiView> = {
  id: "W19",
  description: "The arguments of a call are an object, and so is what a response holds.",
  reference: "Arguments",
  find: ({ contents }) =>
    contents.flatMap(({ calls, responses }) => [
      ...calls
        .filter((placed) => argumentsOf(placed) !== undefined && !isPlainObject(argumentsOf(placed)))
        .map((placed) => ({ place: placeOf(placed, "functionCall.args"), problem: "the arguments are no object" })),
      ...responses
        .filter(({ part }) => !isPlainObject(Object(part.functionResponse).response))
        .map((placed) => ({
          place: placeOf(placed, "functionResponse.response"),
          problem: "the response is no object",
        })),
    ]),
};

const argumentsOf = ({ part }: PlacedPart): unknown => Object(part.functionCall).args;
