import type { AttemptRow, InspectionIndex } from "@threadfold/inspection/rows";

/** The folds that were due between the call before and this one, and made no plan. */
export const attemptsBefore = ({ attempts }: Pick<InspectionIndex, "attempts">, call: number): readonly AttemptRow[] =>
  attempts.filter((attempt) => attempt.call === call - 1);

/** What was tried since the newest plan was made: why there is no newer one. */
export const attemptsSincePlan = ({
  attempts,
  thread,
}: Pick<InspectionIndex, "attempts" | "thread">): readonly AttemptRow[] =>
  attempts.filter(({ planVersion }) => planVersion === thread.planVersion);
