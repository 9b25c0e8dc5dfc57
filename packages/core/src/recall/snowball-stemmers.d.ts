/** The part of `snowball-stemmers` that is used here. The package has no types of its own. */
declare module "snowball-stemmers" {
  const snowball: { readonly newStemmer: (language: string) => { stem(word: string): string } };
  export default snowball;
}
