// PostgreSQL stores with your own connection, tables and roles.
export * from "@threadfold/stores/postgres";
