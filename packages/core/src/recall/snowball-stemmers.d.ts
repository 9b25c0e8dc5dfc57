/** The part of `snowball-stemmers` that is used. The package has no types of its own. */
declare module "snowball-stemmers" {
  export interface Stemmer {
    stem(word: string): string;
  }
  const snowball: { readonly newStemmer: (language: string) => Stemmer };
  export default snowball;
}
