import { asList, type Finding, isPlainObject } from "../legality/legality-rule.ts";

/** Checks whether OpenAI is asked for any JSON at all rather than for a schema. */
const isJsonMode = (format: unknown): boolean => isPlainObject(format) && format.type === "json_object";

/** Reports a request that asks OpenAI for any JSON while no message mentions JSON. */
export function findNoJsonAsked(format: unknown, messages: readonly unknown[], path: string): readonly Finding[] {
  return !isJsonMode(format) || messages.some(saysJson)
    ? []
    : [{ place: { path }, problem: "no message contains the word JSON" }];
}

const saysJson = (message: unknown): boolean => isPlainObject(message) && textsOf(message.content).some(hasWord);

const textsOf = (content: unknown): readonly unknown[] =>
  typeof content === "string" ? [content] : asList(content).map((part) => (isPlainObject(part) ? part.text : ""));

const hasWord = (text: unknown): boolean => typeof text === "string" && /json/i.test(text);
