import { followsOnce, type RuleLanguage, writtenIn } from "./rule-language.ts";

const VERBS_OF_WORK =
  "use|edit|change|run|write|modify|touch|commit|push|add|work|read|reply|answer|respond|speak|call|deploy|install|import|create|log|test|accept|make|do|fix|look|allow|merge|publish|delete|remove|format|comment|speak|generate|output|return|update|refactor|query";
const LANGUAGE_NAMES =
  "english|german|french|spanish|portuguese|italian|dutch|russian|polish|chinese|japanese|korean|turkish|arabic|hindi";
const REPEATED =
  "commit|push|merge|release|deploy|deployment|change|edit|pr|pull request|step|test|file|reply|answer|message|request|migration|build|function|time|query";
const KEPT_STATE =
  "as (?:it|they|that|this) (?:is|are|was|were)|as[- ]is|alone|untouched|unchanged|unmodified|in place|intact|the way (?:it|they) (?:is|are|was|were)|out of (?:this|it)";
const STAYING =
  "(?:as is|as (?:it|they) (?:is|are)|unchanged|untouched|unmodified|stable|intact|the same|compatible|backwards?[- ]compatible|in sync|green|private|secret|read-?only|(?:below|under|within|above) \\d)";

/** Places in which a team has habits, unlike "in the morning". */
const WORKPLACES =
  "(?:code ?base|code|repo|repository|monorepo|project|tests?|docs|readme|changelog|front ?end|back ?end|api|app|ui|client|server|services?|library|modules?|components?|handlers?|models?|database|build|ci|pipeline|config|branch|main|staging|production|src|commits?|prs?|logs?)";
/** What an agent of a service does once to a certain thing; "only book direct flights" is about all of them. */
const DONE_ONCE =
  "(?:exchange|cancel|refund|book|rebook|order|reorder|reserve|reschedule|ship|upgrade|downgrade|replace|charge|pay|transfer|switch|swap|buy|purchase|apply|waive)(?= (?:the|my|our|that|this|these|those|both|one|two|it|them|passenger|reservation|flight|ticket|order|item|booking|seat|room|[^\\s.!?;]{1,30}'s) )";
const LASTING =
  "never|always|ever|don't|do not|from now on|from here on|going forward|everywhere|use|using|edit|touch|write|commit|push|work|speak|reply|answer|respond|install|import|log|allow|accept|format|read|ask";
/** What was offered, for a choice that says nothing outside its dialogue. */
const OFFERED =
  "option|choice|one|offer|plan|flight|ticket|seat|cabin|order|booking|reservation|itinerary|item|economy|business|first|second|third|original|refund|exchange";

const GIVING_LEAVE =
  "(?:say|said|tell|told|confirm|approve|give|ok|review|check|verif|inspect|sign|accept|agree|allow|look|test)";

/** How rules are phrased in English. */
export const english: RuleLanguage = {
  name: "English",
  script: "latin",
  marks: [
    "the|and|don't|do not|dont|never|always|please|you|your|is|are|to|of|with|without|this|that|it|my|we|no|not|only|must|should|use|keep|from|for|in|on|any|all|leave|ask|avoid|before|i",
  ],
  openers: [
    "please|pls|plz|kindly|and|but|also|so|ok|okay|alright|right|btw|by the way|fyi|important|note|nb|remember|reminder|rule|warning|caution|attention|hey|hi|hello|oh|yes|yeah|yep|well|actually|again|seriously|honestly|omfg|omg|ffs|wtf|jesus|dude|my dude|man|guys|just|then|thanks|thank you|thx|great|good|perfect|cool|nice|hm|hmm",
    "(?:no|nope)(?=[,.!])|(?:however|besides|moreover|furthermore|in addition|additionally|meanwhile|nevertheless|on top of that)(?=,)|at the same time|recently|lately|nowadays|sometimes|usually|in that case|in this case",
    "for now|for the moment|for the time being|right now|one more thing|another thing|one thing|last thing|last but not least|first of all|keep in mind|bear in mind|in general|generally|generally speaking|as a (?:general )?rule|whatever you do|no matter what|for the love of god|for god's sake|for the record|to be clear|as always|once again|one more time",
    "(?:as |like )?i (?:said|told you|already said|already told you|repeat|mentioned|insist)(?: before| already)?(?: that| to)?",
    "(?:please )?(?:remember|be aware|note|keep in mind|make sure|ensure|be sure|see to it)(?: that)?(?: you)?",
    "from (?:now|here) on(?: out)?|going forward|moving forward|in (?:the )?future|for the rest of (?:this|the|our) (?:session|conversation|chat|project|work|task)|in this (?:repo|repository|project|codebase|thread|session|chat|conversation)|in our (?:repo|repository|project|codebase)|in (?:production|prod)|for this (?:repo|project|session|task|codebase)|throughout|on this (?:repo|project|branch|task)",
    "(?:if|when|whenever|while|before|after|as long as|until|unless|for|with|in|on|even if|even when) [^,;:.!?]{2,90},",
    "(?:i|we) (?:want|need|expect|ask|would like|'d like) you to|(?:i|we)'d (?:like|want|ask) you to|you (?:should|must|need to|have to|are to|will|shall|ought to)|we (?:should|must|need to|have to|will)|let's|let us|the agent (?:should|must)|you're to|it is important (?:to|that you)|it's important (?:to|that you)",
    "(?:rule|point|item|nr|no|number|step) ?\\d+",
  ],
  telling: [
    "(?:i|we|it|he|she|they|this|that|these|those|there|the|my|our|your|some|someone|somebody|nobody|everything|nothing|everyone|what|why|how|which|who|where|is|are|was|were|do|does|did|has|have|had|can|could|would|will|apparently|maybe|perhaps|looks|seems)",
  ],
  reports: [
    "(?:(?!(?:i|we|you|never|always|don't) )[^\\s.!?;:]+ ){0,8}?(?:told (?:me|us|him|her|them|everyone|everybody)|asked (?:me|us)|said|says|say|writes|wrote|reads|states|stated|claims|claimed|insists|insisted|warns|warned|complains|complained|suggests|suggested|recommends|recommended|mentioned|replied|answered|commented|argues|requires|mandates|(?:should|shall|to) (?:say|read|state))",
    "(?:according to|as per|per the) (?!me |us |my )[^\\s.!?;:]+",
  ],
  handsOver: [
    "(?:translate|summari[sz]e|proof-?read|spell-?check|rephrase|paraphrase|reword|rewrite|shorten|condense|polish|transcribe|interpret|grade|tl;?dr|comment on|classify|explain|define)(?! (?:to me )?(?:why|how))",
    "(?:correct|improve|fix|check|review|edit|simplify|analy[sz]e|format|convert|turn|discuss|assess|evaluate|reply to|respond to|answer|read|look at)(?: [^\\s.!?;:]+){0,6}? (?:sentences?|texts?|paragraphs?|phrases?|wording|emails?|e-mails?|mails?|messages?|letters?|articles?|quotes?|quotation|policy|notice|essay|draft|statements?|grammar|spelling|typos|clause|passage|translation|announcement|slogan|speech|poem)",
    "what (?:does|do|is|would)(?: [^\\s.!?;:]+){0,6}? (?:mean|say)|how (?:do|would|should|could) (?:you|i|we) (?:say|translate|put|write)|what do you think (?:of|about) (?:this|the) (?:sentence|text|wording|paragraph|phrase|mail|email|draft|message)|is (?:this|the) (?:sentence|text|wording|paragraph|phrase|translation|mail|email)",
  ],
  shows: [
    "(?:here(?:'s| is| are)|this is|i (?:got|received)|below is|attached is)(?: [^\\s.!?;:]+){0,4}? (?:texts?|emails?|e-mails?|mails?|messages?|letters?|articles?|draft|policy|transcript|document|essay|quote|conversation|thread|announcement|translation|original)",
  ],
  joins: ["but|and|then|so|or|because|since|which|that|yet|please|just|also"],
  contrasts: ["but|yet"],
  notOrders: [
    "(?:i|we) (?:think|guess|suppose|believe|assume|noticed|wonder|thought|feel|found|saw|got|get)|(?:it )?(?:seems|looks like|turns out)|apparently|maybe|perhaps",
    "(?:add|create|implement|write|introduce|build|make) (?:a|an|the|some) [^.!?;]{0,40}(?:rule|check|lint|policy|validation|constraint|option|checkbox|setting|flag|feature|guard)",
    "you can always|i (?:would |'d )?prefer (?:the|this|that|option|it|to go)|i'd prefer (?:the|this|that|option|it|to go)",
    "only (?:happens|works|fails|occurs|shows|appears|affects|breaks|matters|applies|seems|gets|crashes|goes|helps|makes|takes|needs|has|does|is)",
    "you (?:may|might|will|could) (?:need|want|have|see|find|notice|run into|get)",
    "never ?mind|never (?:again|ever)$|never fear|never say never",
    "(?<=^(?:i|we|he|she|it|they|this|that) [^.!?;]{1,160}(?:but|and|yet|still) )always (?!embed|feed|need|seed|proceed|exceed|speed|shed)\\w+ed",
    "never (?!embed|feed|exceed|proceed|speed|bleed|seed|shed|wed|need|bed|succeed|concede)\\w+ed",
    "never (?:seen|saw|had|been|was|were|heard|thought|knew|got|came|went|happened|did|made|said|gave|understood|ran|found|got|felt|met|took|told|saw|wrote|built|lost|left|won|sent|kept|quite|really|an? |the |in |on |too|enough)",
    "(?:never|always) (?!pass|process|access|discuss|press|cross|compress|focus|bypass|miss|suppress|guess|address|express|assess|dismiss|less|toss)\\w+[^s'\\W]s",
    "always (?:the|a|an|on|true|false|nice|good|been|fun|happy|open|there|here|possible|welcome|worth|has|is|was)",
    "(?:do not|don't)(?: you| we| they)?(?: even| really| quite| actually| ever| always| just| usually| normally)? (?:know|think|see|understand|care|mind|get(?! rid)|have|want|like|believe|need|worry|bother|hesitate|forget|remember|seem|work|exist|match|appear|feel|agree|recall|look like|tell me (?:that|it)|ask me (?:why|how)|you|we|they|miss|sweat|panic|get me wrong|judge|sorry|stop there|fit|help|happen|pass|compile|trust me|shoot|give up|mean|let me|suppose|expect|live|belong|apply|matter|show up|render|update when|be (?:silly|shy|afraid|sad|mad|sorry|like|so|ridiculous|an? ))",
    "(?:please )?(?:do not|don't) stop",
    "(?:is|are|was|were|does|did|will|would|could|should) not",
    "(?:do not|don't) (?:do|try) (?:shit|anything stupid)",
    "stop (?:doing|being|that|it|here|there|this|now|the |asking why)",
    "no (?:longer|need|idea|problem|problems|worries|way|one|such|thanks|thank|matter|clue|luck|rush|hurry|wonder|doubt|more than(?! (?:\\d+|one|two|three|four|five|ten|a hundred) (?:\\p{L}+ ){1,3}?(?:per|a|in|for|each|at))|sign|result|results|difference|offense|offence|pressure|biggie|dice|reason|joke|kidding|shit|go|surprise|hard feelings|that|it|i|you|we|they|this|not|but|the|just|wait|sorry|please|stop|actually|don't|do|never|fix|use|what|why|how|remove|make|add)",
    "avoid (?:the )?(?:question|problem)",
    "no (?:errors?|issues?|output|response|failures?|regressions?|changes? (?:needed|required|here|detected)|bugs?|crash(?:es)?|hits?|matches|effect|news|luck)|only (?:the|a|one|two|three|\\d+|thing|problem|then|now|if|when|because|that|this|after|to)",
    "use(?:d)? to",
  ],
  orders: [
    writtenIn({
      before: "all|the|your|our|my|any",
      things:
        "(?:code |inline )?comments?|commit messages?|commits|(?:variable|function|class|file|branch|test) names?|names|replies|answers|documentation|docs|docstrings?|readme|changelog|pr (?:titles?|descriptions?)|prs|logs|log messages?",
      ...{ and: "and", always: "always|only|exclusively|please" },
      how: "in (?:english|german|french|spanish|portuguese|chinese|japanese|korean|russian|lowercase|uppercase|camelcase|snake_case|kebab-case|utc|markdown)(?: only)?",
    }),
    "never",
    "always \\p{L}+",
    "do not|don't|do never|not ever",
    "(?:try|make sure|be sure|remember|be careful|take care|careful|i asked you|i told you|please|ask you|told you|asked you)(?: that you)?(?: to)? (?:not|never|always|only)",
    "not (?:to )?(?:touch|use|change|edit|delete|commit|push|add|remove|modify|run|break|create|mention|include|write|deploy|merge|install|be)",
    "under no circumstances|at no (?:time|point)|in no case|by no means|on no account",
    "avoid \\p{L}+|refrain from|stay (?:away|out) (?:from|of)|keep (?:away|out|off)(?: from| of)?|steer clear|hands off|stop \\p{L}+ing|quit \\p{L}+ing|no more \\p{L}+|no touching|no \\p{L}+ing (?:of|in|to|on|without)",
    `only (?:ever )?(?:${VERBS_OF_WORK})`,
    `(?:${VERBS_OF_WORK}|build|rely on) (?:only|nothing but|exclusively)`,
    "stick (?:to|with)|limit (?:yourself|your \\p{L}+|changes|edits) to|restrict (?:yourself|your \\p{L}+|changes|edits) to|confine (?:yourself|your \\p{L}+|changes)",
    "ask (?:me |us )?(?:first|before|for (?:my |our )?(?:permission|approval|confirmation|consent))|(?:check|confirm|clear|verify|consult)(?: it| this| everything| that)?(?: with)?(?: me| us)?(?: first)? before|check with (?:me|us)|wait for my|wait until i|get my (?:ok|okay|approval|permission|go-ahead|sign-?off)|(?:tell|notify|warn|inform|ping) me (?:before|first|every time|whenever)|run (?:it|everything|things|any \\p{L}+|all \\p{L}+) by me",
    `leave [^.!?;]{1,100} (?:${KEPT_STATE})`,
    `keep [^.!?;]{1,100} (?:${KEPT_STATE}|${STAYING}|around|for reference|up to date|up-to-date|consistent|short|concise|simple|minimal|small|brief|terse|clean|pure|separate|out of|to a minimum|to (?:one|a single|two|three|\\d+))`,
    "keep your hands off",
    "prefer \\p{L}+",
    "treat [^.!?;]{1,80} as (?:read-?only|frozen|immutable|off[- ]limits|sacred|untouchable)",
    "you (?:must|should|may|can|shall|are|will) (?:never|always|only|not|under)|you're (?:never|always|only|not) |you (?:mustn't|shouldn't|may not|shall not|are not allowed|aren't allowed|are only allowed|are forbidden|are not permitted|may only|must always)",
    "you must (?:keep|use|follow|ask|stay|respect|preserve|maintain|adhere|comply|obey|include|ensure|stick|get|wait|confirm|check with|work in|write in|leave)",
    "(?:i|we) (?:really |absolutely |definitely )?(?:do not|don't|never) (?:ever )?want (?:you to|any|to see|to have|anything|it to|us to|anyone|secrets|new)",
    "i (?:would |'d )?(?:only|always|never) (?:want(?! to (?!see|have|get|read|hear|use|work|support|review|look|maintain))|accept|like to see)|i(?:'d)? (?:strongly |really |much |would )?prefer (?!(?:an?|the|my) [^.!?;,]{1,80} to )[^.!?;,]{1,80} (?:over|to|instead of|rather than) |i'd (?:rather|prefer)(?: if| that)? (?:you|we) (?:not|didn't|don't|never|only|always)",
    "(?:i|we)(?:'d| would) (?:appreciate (?:it )?|be (?:glad|happy|grateful) )(?:if|when) you (?:didn't|don't|wouldn't|never|only|always|could (?:not|always|only)|avoid|left)",
    "i (?:hate|can't stand|don't like) (?:it )?when you",
    `(?:answer|reply|respond|write|speak|talk|communicate)(?: to me| back)?(?: only| always)?(?: everything| all \\p{L}+| comments| commit messages)? in (?:${LANGUAGE_NAMES})`,
    "(?:all|every|each|any) (?:[^\\s,()]+ ){1,6}(?:must|has to|have to|needs to|need to|should|shall) ",
    "follow (?:the|our|my) [^.!?;]{1,60}(?:convention|style|guide|guideline|rule|standard|pattern)s?",
    "respect (?:the|our|my) ",
    "(?:nothing|no \\p{L}+|nobody|no one)(?: \\p{L}+){0,3} (?:may|must|should|shall|is allowed|are allowed|gets|goes)",
    "(?:make sure|ensure|see to it)(?: that)? (?:all|every|each|any) ",
    "your (?:response|answer|output|reply|message|code|change|commit|edit)s? (?:must|has to|have to|may)",
    "(?:do|write|build|keep|put) everything in|(?:everything|anything|nothing)(?: that)? (?:you|we) [^.!?;]{1,40} (?:must|should|has to|needs to|may)",
    "ask me (?:instead|whenever|when you are|when you're|when in doubt)",
    "(?:use|take|write|go with|stay with|stick with|assume|format|prefer) [^.!?;]{1,80} (?:from now on|going forward|everywhere|throughout|at all times|for everything|in all|every time|by default|for all|for every|for any|in every)",
    `(?:we|i) (?:never|always|only) (?!feel|felt)[^.!?;]{1,100} (?:here|in (?:this|our) \\p{L}+|around here|in the (?:\\p{L}+ )?${WORKPLACES})`,
    "(?:we|i) (?:don't|do not) (?:use|allow|do|write|commit|accept|want|like) [^.!?;]{1,100} (?:here|in (?:this|our) \\p{L}+|around here)",
  ],
  standing: [
    "(?:when|if) (?:in doubt|unsure)|from (?:now|here) on|going forward|moving forward|at all times|until further notice|for the rest of (?:this|the|our) (?:session|conversation|chat|project)",
    `(?:before|after|with|for|on|in) (?:every|each|any) (?:single )?(?:${REPEATED})`,
    "without (?:editing|changing|modifying|touching|breaking|deleting|adding|installing|committing|pushing|creating|removing|writing to|using)",
    "(?:should never|should always|should only ever)",
    "(?:only|exclusively) (?:in|on|under|within|inside|for) (?:the )?\\S{1,60} (?:folder|directory|dir|branch|file|package)",
  ],
  anywhere: [
    "(?:is|are|stays?|remains?) (?:strictly )?(?:off[- ]limits|forbidden|prohibited|banned|taboo|a no-go|non-negotiable)",
    "(?<!(?:^|\\s)(?:it|this|that|which|there|error) )(?:must (?:not|never|always|only)|mustn't|shall (?:not|never))",
    "from (?:now|here) on(?: out)?,? [^.!?;]{1,80} (?:always|only|never|must|exclusively)",
    `(?:should|must|needs? to|has to|have to) (?:not )?(?:stay|remain|be kept|be left|keep) ${STAYING}`,
    "(?:should not|shouldn't|must not|mustn't|may not|can not|cannot|can't) be (?:touched|modified|edited|deleted|committed|logged|changed by|altered|renamed|merged without|pushed)",
    "under no circumstances|without (?:asking|my (?:ok|okay|approval|permission|consent|explicit|review|sign-?off|go-ahead)|telling me|permission|approval|consulting|being asked|first asking|checking with me)",
    "never ever|on no account",
  ],
  polite: [
    "(?:could|can|would|will) (?:you|we)(?: (?:please|kindly|maybe|perhaps|just|at least|all))*(?: make (?:it so|sure)(?: that)?(?: (?:we|you))?)?(?! only)",
    "would you mind|do you mind|would it be possible to|is it ok to|may i ask you to|can i ask you to",
  ],
  politeNot: ["not", "never|always|avoid|refrain"],
  elliptic: [
    "no (?:\\p{L}[\\p{L}\\d./_'-]*)(?: (?!is|are|was|were|has|have|had|found|exists?|works?|seems?|yet|fails?|failed|here|there|anymore|left|needed|so far|to show|yet)[\\p{L}\\d][\\p{L}\\d./_'-]*){0,6}(?:,? (?:please|pls|ok|okay|thanks))?",
    `only (?!${DONE_ONCE})(?:\\p{L}[\\p{L}\\d./_'-]*)(?: (?!is|are|was|were|has|have|had|fails?|failed|works?|seems?|one|two)[\\p{L}\\d][\\p{L}\\d./_'-]*){0,4}(?:,? (?:please|no [^.!?;]{1,40}|not [^.!?;]{1,40}))?`,
    "[\\p{L}\\d][\\p{L}\\d./_'-]*(?: [\\p{L}\\d][\\p{L}\\d./_'-]*){0,4},? (?:always|only|everywhere|exclusively|from now on)(?:,? please)?",
    "[\\p{L}\\d][\\p{L}\\d./_'-]*(?: [\\p{L}\\d][\\p{L}\\d./_'-]*){0,3},? (?:not|never) (?!working|found|a |the |an |sure|yet|really)[\\p{L}\\d][\\p{L}\\d./_'-]*(?: [\\p{L}\\d][\\p{L}\\d./_'-]*){0,2}",
    "(?:max|maximum|at most|no more than|not more than) (?:\\d+|one|two|three|four|five|ten) [^.!?;]{1,60} (?:per|a|each|in) [^.!?;]{1,40}",
    "(?:tabs|spaces|single quotes|double quotes|two spaces|four spaces)(?: only|, not [^.!?;]{1,30})",
    "hands off [^.!?;]{1,80}",
    "(?:use|keep|put|write|store|format|indent|name|prefix) [^.!?;]{1,80}, never \\p{L}[^.!?;,]{1,40}",
  ],
  doubtful: [
    "leave (?:it|that|this|them)|hold off (?:on|with)",
    `only ${DONE_ONCE}`,
    "you (?:must|have to|need to|can't|cannot|can only|shouldn't need)",
    "we (?:never|always|don't|do not|only) (?:use|do|write|commit|push|deploy|allow|add|merge|ship|test|run|squash|rebase|want|call|log)",
    "i (?:strongly |really |much |would |'d )?prefer",
    "(?:be|stay) (?:careful|concise|brief|terse|consistent|cautious)",
    "keep (?:it|this|that|them|things) [^.!?;]{1,30}",
    "use [^.!?;]{1,60} (?:instead of|rather than|over) ",
    "(?:make sure|ensure) [^.!?;]{1,60} (?:stays?|remains?|still|keeps?) ",
    "i (?:like|need|expect|insist on) (?:clean|small|short|minimal|strict|explicit|tests)",
    "whenever you|every time you|each time you",
    "[^.!?;:,]{1,60} should (?:not|never|always|only) ",
  ],
  oneOff: [
    "yet|right now|for now|for the moment|for the time being|at the moment|just this once|this time|today|tonight|tomorrow|this (?:week|morning|afternoon|evening|round)|before (?:lunch|the demo|the meeting|friday|monday|tomorrow)|by (?:tomorrow|tonight|friday|monday|noon|eod)|in (?:this|your|the) (?:next )?(?:step|commit|pr|reply|answer|message|response)",
    `until (?!i(?:'ve| have)?(?: had (?:a chance|the chance|time) to)? ${GIVING_LEAVE}|you (?:hear|have my|get my|receive my)|told|further|approved)[^.!?;]{1,40}|till (?!i )`,
    "now$|now[,.!]",
    followsOnce({
      hence:
        "then|in (?:that|this|which) case|if (?:not|so)|if that(?:'s| is| isn't| is not| doesn't| does not)[^,.!?;]{1,40}",
      only: "only|just|stick (?:to|with)",
      lasting: LASTING,
    }),
    `(?:only|just|stick (?:to|with)) (?!${LASTING})[^.!?;]{1,80} then(?=[\\s.!…)]*$)`,
  ],
  unclear: [
    "(?:please )?(?:do not|don't|never|stop|avoid|always)(?: ever)?(?: \\p{L}+)?(?: to| on| with| in| for)? (?:it|that|this|those|these|them|so|anything|something|like that|like this)(?: (?:again|anymore|any more|ever|please|ever again|either|again please|to me|all|like this|like that|now))*",
    "(?:leave|keep) (?:it|this|that|them)(?: [^.!?;]{1,40})?",
    `stick (?:with|to) (?:(?:the|that|this|my|our) )?(?:\\p{L}+ )?(?:${OFFERED})(?: for [^.!?;]{1,40})?`,
    "do not|don't|never|always",
  ],
  takesBack: [
    "(?:you can |let's |please )?(?:forget|ignore|disregard|scratch|drop|cancel|skip|remove|lift|strike|scrap|revoke|withdraw|undo|unpin|delete) (?:about )?(?:that|this|the|my|our|those|these|all|all of my|any)(?: [^\\s.!?;,]+){0,8}? (?:rules?|restrictions?|constraints?|bans?|limits?|limitations?|prohibitions?|instructions?)",
    "(?:forget|ignore|disregard|scratch|never ?mind|scrap) (?:about )?(?:what|everything|anything|whatever) i (?:said|told you|wrote|asked|demanded)(?: before| earlier| yesterday| previously)?(?: about| on| regarding)?",
    "(?:forget|ignore|disregard|scratch|drop|scrap|strike) (?:about )?(?:the|that) (?:thing|things|stuff|bit|part|one|request|point)(?: (?:that )?i (?:said|mentioned|told you|wrote|asked))? (?:about|on|regarding|with)",
    "never ?mind (?:about )?(?:the|that|my)(?: [^\\s.!?;,]+){0,8}? (?:rules?|restrictions?|constraints?|bans?|limits?|instructions?)|never ?mind what i said",
    "(?:that|this|the|my)(?: [^\\s.!?;,]+){0,8}? (?:rule|restriction|ban|constraint|limitation|prohibition)(?: about| on)?(?: [^\\s.!?;,]+){0,6}? (?:no longer (?:applies|holds|counts|stands)|(?:does not|doesn't) (?:apply|hold|count|stand)(?: any ?more| any longer)?|is (?:gone|lifted|off|obsolete|over|void|no longer|dead|cancelled|canceled|hereby)|can go|has been lifted|was wrong)",
    "i(?:'ve| have)? changed my mind (?:about|on)|i take (?:that|it) back about|i take back (?:what i said|the|my)",
    "you (?:don't|do not|needn't|no longer) (?:have|need) to (?:ask|follow|worry about|respect|stick)[^.!?;]{0,60} (?:any ?more|any longer|for [^.!?;]{1,40})|you no longer (?:have|need) to",
    "no (?:longer any )?need to [^.!?;]{1,80} any ?more",
  ],
  takesBackLast: [
    "(?:oh |actually |ok |please )?(?:forget|scratch|ignore|disregard|never ?mind|scrap|strike) (?:about )?(?:that|it|this)(?: one)?(?=\\s*(?:[.,!;–—-]|$))",
    "i(?:'ve| have)? changed my mind(?! (?:about|on))|i take (?:that|it) back",
  ],
  allows: [
    "you (?:may|might)(?: now| again)? (?!want|notice|see|need|be |have|find|also want|well|as well|remember|recall|think|run into|ask why|wonder|get an?)",
    "you (?:can|could) (?:now|again) (?!see|find|check|start|continue|test|try|reproduce|view)",
    "you can (?!see|find|also|always|check|look|test|reproduce|tell|imagine|try|start)[^.!?;]{1,80} (?:now|again|after all|any ?more|if you (?:want|like|need))",
    "you(?:'re| are) (?:now |again )?(?:allowed|free|permitted|welcome|cleared) to",
    "(?:it's|it is|its|that's|it'd be) (?:ok|okay|fine|alright|all right|allowed|safe|cool|no problem)(?: now| again)?(?: with me)?(?: now)? (?:to|if you|for you to)",
    "feel free to [^.!?;]{1,80} (?:now|again|after all)|feel free to (?:edit|touch|change|modify|delete|push|commit|use|install|add)",
    "[^.!?;,]{2,80} (?:is|are) (?:ok|okay|fine|allowed|permitted|back on the table)(?: with me)? (?:now|again|after all|from now on)",
    "i don't mind (?:any ?more )?if you [^.!?;]{1,60} now",
  ],
  approvals: ["without|unless|until|before (?:asking|i)|ask|check with|confirm|approval|permission|except"],
  headings: [
    "(?:(?:the|our|my|some|house|ground|hard|basic|general|project|coding|code|important|a few|critical|golden|key|team|working) )*(?:rules?|constraints?|guidelines?|conventions?|guardrails|restrictions?|ground rules|dos and don'?ts|do'?s and don'?ts|code style|coding style|style guide|standing instructions|boundaries|principles)(?: (?:for|of|in|to|that) [^.!?;:]{1,60})?(?: \\([^)]{1,40}\\))?",
  ],
  exceptions: ["unless|except|excepting|only if|if and only if|or else|otherwise|not even|even if|even when|provided"],
  continuations: [
    "unless|except|excepting|only if|if and only if|or else|otherwise|and|or|but|because|since|so that|even if|even when|provided|as long as|not even|nor|which|that|including|such as|e\\.g\\.|i\\.e\\.",
  ],
  abbreviations: [
    "e.g.",
    "i.e.",
    "vs.",
    "cf.",
    "approx.",
    "resp.",
    "incl.",
    "excl.",
    "esp.",
    "etc.",
    "dr.",
    "mr.",
    "mrs.",
    "ms.",
    "st.",
    "fig.",
    "no.",
    "nr.",
    "viz.",
    "a.k.a.",
    "al.",
  ],
  closingAbbreviations: ["etc.", "no.", "al.", "a.k.a.", "excl.", "incl."],
  emptyWords:
    "a an the of to in on at for from with and or but not no never always do don't dont does did be is are was were will would should must may might can could shall you your i me my we our us it its this that these those them they any all every each please just now again after ever also only if when what about said told rule rules restriction ban thing so as than then ok okay fine allowed free allow anymore more longer forget ignore disregard scratch mind changed nevermind use there here by into over out up without unless until before asking ask permission first go ahead feel need have want back",
  sameVerbs: [
    "edit touch change modify update alter rewrite",
    "delete remove drop erase wipe",
    "commit check-in",
    "install add",
    "run execute start launch",
    "deploy release ship publish",
    "mention name",
  ],
};
