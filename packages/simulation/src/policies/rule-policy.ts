import type { Message } from "@threadfold/core";
import { pieceOf, systemPieces } from "../policy/prompt-piece.ts";
import type {
  PolicyPrompt,
  PolicyRun,
  PolicyScene,
  PromptPiece,
  PromptPolicy,
  SummaryCall,
} from "../policy/prompt-policy.ts";
import { tokensOfCharacters } from "../recording/recorded-session.ts";

/** What a rule makes of the log. */
export interface RulePrompt {
  readonly messages: readonly PromptPiece[];
  readonly committed: boolean;
  readonly summaryCalls?: readonly SummaryCall[];
}

/** Makes the messages of a prompt from the whole log so far; keeps what it has to in its own closure. */
export type PromptRule = (log: readonly Message[], at: number) => Promise<RulePrompt> | RulePrompt;

/** A policy that is one rule over the log: it begins anew for each session. */
export function rulePolicy(id: string, ruleFor: (scene: PolicyScene) => PromptRule): PromptPolicy {
  return {
    id,
    async begin(scene): Promise<PolicyRun> {
      const rule = ruleFor(scene);
      const system = systemPieces(scene);
      const log: Message[] = [];
      return {
        async prompt(added, at): Promise<PolicyPrompt> {
          const started = performance.now();
          log.push(...added);
          const { messages, committed, summaryCalls = [] } = await rule(log, at);
          const milliseconds = performance.now() - started;
          return { messages: [...system, ...messages], summaryCalls, committed, violations: 0, milliseconds };
        },
        end: async () => undefined,
      };
    },
  };
}

/** Tokens of some pieces, four characters each. */
export const tokensOfPieces = (pieces: readonly PromptPiece[]): number =>
  tokensOfCharacters(pieces.reduce((sum, { text }) => sum + text.length, 0));

/** Tokens of a message as it stands in the log. */
export const tokensOfMessage = (message: Message): number => tokensOfCharacters(pieceOf(message).text.length);
