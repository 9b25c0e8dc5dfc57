// A queue in PostgreSQL for folds that workers carry out.
export * from "@threadfold/session/pg-boss";
