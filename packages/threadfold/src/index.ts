// The model, the plan and the ports.
export * from "@threadfold/core";
// One turn of an agent loop, end to end: where most users begin.
export * from "@threadfold/session";
// What a session is put together from.
export * from "@threadfold/strategies";
export * from "@threadfold/summarizers";
export * from "@threadfold/renderer";
export * from "@threadfold/rehydration";
export * from "@threadfold/tokenizers";
export * from "@threadfold/stores";
// Sessions that other tools recorded.
export * from "@threadfold/importers";
// Both session and stores have the machine's clock; one of them is enough.
export { systemClock } from "@threadfold/session";
