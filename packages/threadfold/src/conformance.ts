// The laws that a store of your own has to hold.
export * from "@threadfold/stores/conformance";
