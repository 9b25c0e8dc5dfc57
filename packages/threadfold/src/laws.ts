// The laws that a part of your own has to hold: a store, a format, an importer and so on.
export * from "@threadfold/stores/laws";
