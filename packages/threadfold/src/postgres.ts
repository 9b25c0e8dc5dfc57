// PostgreSQL stores with a connection, tables and roles of your own.
export * from "@threadfold/stores/postgres";
