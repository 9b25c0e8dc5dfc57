// A queue in PostgreSQL for folds that workers make.
export * from "@threadfold/session/pg-boss";
