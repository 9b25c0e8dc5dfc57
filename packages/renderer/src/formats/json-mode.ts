import { asList, type Finding, isPlainObject } from "../legality/legality-rule.ts";

/** True when OpenAI is asked for any JSON at all, not for a schema. */
const isJsonMode = (format: unknown): boolean => isPlainObject(format) && format.type === "json_object";

/** What is wrong where OpenAI is asked for any JSON, and nothing that it is told asks for it in words. */
export function findNoJsonAsked(format: unknown, messages: readonly unknown[], path: string): readonly Finding[] {
  return !isJsonMode(format) || messages.some(saysJson)
    ? []
    : [{ place: { path }, problem: "no message has the word JSON in it" }];
}

const saysJson = (message: unknown): boolean => isPlainObject(message) && textsOf(message.content).some(hasWord);

const textsOf = (content: unknown): readonly unknown[] =>
  typeof content === "string" ? [content] : asList(content).map((part) => (isPlainObject(part) ? part.text : ""));

const hasWord = (text: unknown): boolean => typeof text === "string" && /json/i.test(text);
