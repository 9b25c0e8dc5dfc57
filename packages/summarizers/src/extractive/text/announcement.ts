/** What an agent says before it does something. It may be cut off before it does. */
const ANNOUNCES =
  /^(?:(?:now|first|next|then|ok|okay|good|great|perfect|alright|so)[,.!]?\s+)*(?:let me(?! know)|let['’]s|i['’]ll|i will|i['’]m going to|i am going to)\b/i;

/** True for a sentence that says what its speaker will do next. */
export const isAnnouncement = (sentence: string): boolean => ANNOUNCES.test(sentence);
