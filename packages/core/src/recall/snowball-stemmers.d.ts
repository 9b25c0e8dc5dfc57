/** The part of `snowball-stemmers` that is used. The package has no types of its own. */
declare module "snowball-stemmers" {
  export interface Stemmer {
    stem(word: string): string;
  }
  export interface Snowball {
    readonly newStemmer: (language: string) => Stemmer;
  }
  const snowball: Snowball;
  export default snowball;
}
