import { followsOnce, type RuleLanguage, writtenIn } from "./rule-language.ts";

const ORDER_VERBS =
  "ändere|lösche|entferne|nutze|benutze|verwende|nimm|schreibe?|lege?|fasse|fass|installiere|committe|pushe|merge|deploye|füge|fug|erstelle|mach|mache|tu|ruf|rufe|führe|starte|bearbeite|rühre?|frage?|sende|schicke|veröffentliche|überschreibe|benenne|verschiebe|logge|importiere|antworte|sprich|gib|geh|gehe|vergiss nie|arbeite|teste|prüfe|halte?|lass|lasse|bleib|bleibe|commite|formatiere|kommentiere|lade|öffne|verändere|speichere|kopiere|baue|nenne|erwähne|stell|stelle|setze|setz";

/** How rules are phrased in German. */
export const german: RuleLanguage = {
  name: "German",
  script: "latin",
  marks: [
    "der|die|das|den|dem|ein|eine|einen|keine?|keinen|nicht|nie|niemals|immer|bitte|und|oder|du|mir|mich|ich|mit|ohne|für|auf|im|ist|sind|soll|muss|darf|darfst|nur|ab|jetzt|lass|wieder|vergiss|alle|aber|auch|so|noch|zu",
  ],
  openers: [
    "bitte|und|aber|auch|also|ok|okay|gut|wichtig|achtung|hinweis|merke?|regel|übrigens|nochmal|ja|hey|hallo|danke|super|dann|außerdem|zusätzlich|generell|grundsätzlich|auf keinen fall vergessen",
    "fürs erste|vorerst|im moment|nein(?=[,.!]|\\s+(?:nichts|nicht|kein|nie|nur))|noch (?:was|etwas)|denk (?:bitte )?daran|denke daran|pass auf|beachte(?:,? dass)?|stell(?:e)? sicher,? dass(?: du)?|achte darauf,? dass(?: du)?|wie gesagt|egal was (?:du tust|passiert)|was auch immer du tust|ich möchte,? dass du|ich will,? dass du",
    "ab (?:jetzt|sofort|heute)|von (?:jetzt|nun) an|künftig|in zukunft|zukünftig|in diesem (?:projekt|repo|repository|chat)|für dieses projekt|im ganzen projekt",
    "(?:wenn|falls|bevor|nachdem|solange|sobald|bei|in|für|vor|nach) [^,;:.!?]{2,90},",
  ],
  telling: [
    "(?:ich|wir|es|er|sie|das|dies|diese|dieser|der|die|ein|eine|mein|meine|da|hier|warum|wieso|was|wer|wie|wo|ist|sind|war|hat|haben|kannst|könntest|kann|scheint|vielleicht)",
  ],
  reports: [
    "(?:(?!(?:ich|wir|du|nie|niemals|immer) )[^\\s.!?;:]+ ){0,8}?(?:gesagt|geschrieben|gemeint|erklärt|behauptet|verlangt|empfohlen|sagt|sagte|sagen|schreibt|schrieb|meint|meinte|steht|heißt es|lautet|lauten|empfiehlt|fordert|warnt)",
    "(?:laut|gemäß|nach angaben) (?!mir )[^\\s.!?;:]+",
  ],
  handsOver: [
    "(?:übersetz(?:e|en|t)?|korrigier(?:e|en)?|formulier(?:e|en)?|lektorier(?:e|en)?|kürz(?:e|en)?|paraphrasier(?:e|en)?|transkribier(?:e|en)?|interpretier(?:e|en)?|bewert(?:e|en)?|kommentier(?:e|en)? (?:den|die|das|diese)|erklär(?:e|en)?(?! (?:mir )?(?:warum|wie|wieso)))|fass(?:e|en)?(?: [^\\s.!?;:]+){1,8}? zusammen|schreib(?:e|en)?(?: [^\\s.!?;:]+){1,5}? um",
    "(?:(?:das|den|die|diesen|diese|dieses|folgenden|folgende|mir|bitte|mal) )*(?:[^\\s.!?;:]+ ){0,6}?(?:übersetzen|zusammenfassen|korrigieren|umformulieren|lektorieren|gegenlesen|verbessern)",
    "(?:prüf|verbesser|les|lies|beantwort|überarbeit|vereinfach|analysier|schau dir)e?(?: [^\\s.!?;:]+){0,6}? (?:satz|sätze|text|texte|absatz|mail|e-mail|nachricht|brief|artikel|zitat|formulierung|entwurf|rechtschreibung|grammatik|tippfehler|übersetzung)",
    "was (?:bedeutet|heißt|meint)|wie (?:sagt man|würdest du)",
  ],
  shows: [
    "(?:hier ist|hier sind|das ist|ich habe)(?: [^\\s.!?;:]+){0,4}? (?:text|mail|e-mail|nachricht|brief|artikel|entwurf|protokoll|dokument|zitat|original)",
  ],
  joins: ["aber|und|dann|sondern|denn|weil|oder|bitte|doch"],
  contrasts: ["aber|sondern"],
  notOrders: [
    "nie (?:gesehen|gehabt|gehört|davon|wieder gesehen|funktioniert|passiert)|niemals (?:gesehen|gehabt|gehört)",
    "(?:immer|nie) (?:noch|wieder der|ein fehler|dasselbe|das gleiche|einen fehler|mehr)",
    "nicht (?:schlimm|so schlimm|schlecht|nötig|wichtig|wirklich|ganz|mehr|dass|das|die|der|ein|eine|genau|gut|unbedingt|sicher|nur)",
    "kein(?:e|en)? (?:ahnung|problem|probleme|sorge|stress|thema|ding|wunder|zweifel|grund|lust|zeit|plan|eile|fehler mehr|unterschied)",
    "vergiss nicht|mach dir keine|keine sorge|nur (?:ein|eine|einen|so|noch(?! (?:[^\\s.!?;,]+e[nrs]?|mit|in|auf|über|per|via) \\p{L})|mal|zur|weil|wenn|dass|die|der|das)",
    "lass (?:uns|mich|es uns)",
  ],
  orders: [
    writtenIn({
      before: "alle|die|der|das|den|deine|unsere|eure",
      things:
        "(?:code-?)?kommentare?|commit-?(?:messages?|nachrichten?|texte?|beschreibungen?)|commits|antworten|(?:variablen|funktions|klassen|methoden|datei|branch|test)?namen|bezeichner|dokumentation|doku|docs|docstrings?|code|readme|changelog|pr-(?:titel|beschreibung(?:en)?|texte)|prs|logs|log-?(?:meldungen|ausgaben)",
      ...{ and: "und", always: "immer|stets|nur|ausschließlich|grundsätzlich|bitte" },
      how: "(?:auf|in) (?:englisch|deutsch|französisch|spanisch|englischer sprache|deutscher sprache|kleinbuchstaben|großbuchstaben|camelcase|snake_case|kebab-case|utc|markdown)",
    }),
    "(?:niemals|nie|keinesfalls|auf keinen fall|unter keinen umständen|in keinem fall|bloß nicht|ja nicht|auf gar keinen fall)",
    "immer \\p{L}+",
    "(?:(?:erst ?mal|vorerst|zunächst|heute|jetzt) )?(?:nichts|nicht) [^.!?;,]{0,60}(?:ändern|löschen|entfernen|anfassen|verändern|bearbeiten|committen|pushen|mergen|deployen|verwenden|benutzen|nutzen|installieren|schreiben|überschreiben|anrühren|umbenennen|verschieben|hinzufügen|erstellen|einbauen|senden|schicken|ausführen|starten|anlegen|einchecken|veröffentlichen|loggen|importieren|vergessen|aufrufen|erwähnen|nennen)",
    `(?:${ORDER_VERBS})(?: [^.!?;]{1,120}?)? (?:nicht|nie|niemals|nichts|kein|keine|keinen|keinerlei|keines|nur|ausschließlich|immer|stets|grundsätzlich)`,
    "(?:verwende|nutze|benutze|nimm|antworte|schreibe?|arbeite) (?:bitte )?(?:nur|ausschließlich|immer|stets|ab jetzt|ab sofort|künftig)",
    "nur [^.!?;]{1,80} (?:verwenden|benutzen|nutzen|ändern|bearbeiten|anfassen|committen|schreiben)",
    "du (?:darfst|sollst|solltest|musst|kannst|wirst)(?: [^.!?;]{1,100}?)? (?:nicht|nie|niemals|nur|immer|kein|keine|keinen|keinesfalls|nichts|auf keinen fall|unter keinen umständen|stets)",
    "(?:frag|frage|sag|gib)(?: mich| mir)?(?: bitte)?(?: immer| erst| vorher| zuerst| bescheid)+",
    "(?:frag|frage) (?:bitte )?(?:mich )?[^.!?;]{0,40}(?:bevor|vorher|zuerst|erst)",
    "lass(?:e|t)? [^.!?;]{1,100} (?:in ruhe|so wie (?:es|sie|er) (?:ist|sind)|wie (?:es|sie|er) (?:ist|sind)|unverändert|unangetastet|stehen|so)",
    "(?:halte?|behalte?) [^.!?;]{1,100} (?:kurz|knapp|klein|einfach|stabil|kompatibel|unverändert|geheim|aktuell|synchron|sauber|bei|zum vergleich|als referenz)",
    "(?:unterlass|lass)(?:e|t)? (?:es|das),?|(?:ich|wir) (?:wäre|wären|würde|würden) (?:[^\\s.!?;,]+ ){0,4}?(?:dankbar|froh|freuen|begrüßen),? wenn du [^.!?;]{0,80}(?:nicht|nie|kein|keine|keinen|nur|immer)|finger weg von|hände weg von|vermeide \\p{L}+|verzichte auf|hör auf(?: damit)?,? [^.!?;]{1,60} zu|halte dich (?:an|strikt an)|bleib(?:e)? bei|beschränke dich auf",
    "(?:antworte|schreibe?|sprich|rede|kommentiere)(?: mir| bitte| alles)* (?:auf|in) (?:deutsch|englisch|französisch|spanisch)",
    "bevorzuge|keinerlei|(?:alle|jede|jeder|jedes) [^.!?;]{1,80} (?:muss|müssen|soll|sollen|sollten) ",
    "ich (?:will|möchte|mag|brauche|dulde) (?:hier |in diesem \\p{L}+ )?(?:keine|keinen|kein|nur|nie|niemals|nicht,? dass)",
  ],
  standing: [
    "ab (?:jetzt|sofort|heute|nun)|von (?:jetzt|nun) an|künftig|in zukunft|zukünftig",
    "(?:vor|nach|bei|mit|in|für) (?:jedem|jeder|jeden) (?:commit|push|merge|release|deployment|deploy|änderung|antwort|schritt|test|datei)",
    "ohne (?:[^.!?;]{1,60} )?(?:zu ändern|zu verändern|zu bearbeiten|zu löschen|anzufassen|kaputt ?zu ?machen|zu committen|zu pushen)",
  ],
  anywhere: [
    "(?:ist|sind|bleibt|bleiben) (?:tabu|verboten|unantastbar|nicht erlaubt|streng verboten)",
    "(?:darf|dürfen|soll|sollen|muss|müssen|sollte|sollten) (?:[^.!?;]{1,80} )?(?:niemals|nie|keinesfalls|auf keinen fall|unter keinen umständen|immer|stets)",
    "(?:darf|dürfen) (?:[^.!?;]{1,80} )?(?:nicht|kein|keine|keinen)(?: [^.!?;]{1,60})? (?:werden|haben|enthalten|gelöscht|geändert|ändern|löschen|stehen)",
    "(?:ab (?:jetzt|sofort|heute)|von (?:jetzt|nun) an|künftig|in zukunft),? (?:bitte )?[^.!?;]{1,80} (?:immer|nur|nie|niemals|stets|ausschließlich)",
    "auf (?:gar )?keinen fall|unter keinen umständen|ohne (?:mich|vorher|meine|meinen|rücksprache|zu fragen|nachzufragen|zustimmung|erlaubnis|freigabe)",
    "(?:soll|sollen|muss|müssen) (?:so )?bleiben(?: wie| so)?|(?:soll|sollen|muss|müssen) [^.!?;]{1,60} (?:so bleiben|unverändert bleiben|erhalten bleiben|kompatibel bleiben|stabil bleiben)",
  ],
  polite: ["(?:kannst|könntest|würdest|könnten|können) (?:du|sie|wir)(?: bitte| vielleicht| mal)*"],
  politeNot: ["(?:[^.!?;]{1,60} )?(?:nicht|nie|niemals|kein|keine|keinen|keinerlei)"],
  elliptic: [
    "(?:bitte )?(?:keine|keinen|kein|keinerlei) \\p{L}[^.!?;,]{1,70}",
    "(?:bitte )?nur \\p{L}[^.!?;,]{1,50}",
    "(?:bitte )?\\p{L}[^.!?;,]{1,50} (?:nicht anfassen|nicht ändern|nicht löschen|nicht verändern|nicht vergessen|in ruhe lassen|so lassen|stehen lassen|unverändert lassen|nicht committen|nicht pushen|nicht mergen|nicht deployen|nicht bearbeiten|nicht verwenden|nicht benutzen)(?: bitte)?",
    "(?:immer|stets) \\p{L}[^.!?;,]{1,60}",
    "\\p{L}[^.!?;]{1,60} statt \\p{L}[^.!?;]{1,40}",
  ],
  doubtful: [
    "du (?:musst|solltest)|wir (?:machen|verwenden|nutzen|benutzen|schreiben|committen|pushen|deployen)(?: [^.!?;]{1,60})? (?:nie|immer|nur|kein|keine|keinen|nicht)",
    "halte? (?:es|das) [^.!?;]{1,30}",
  ],
  oneOff: [
    "noch nicht|jetzt nicht|jetzt gerade|im moment|vorerst|fürs erste|erst ?mal|heute|morgen|dieses mal|diesmal|gerade|bis (?:morgen|freitag|montag|nachher|später)|momentan|zunächst",
    followsOnce({
      hence: "dann|in dem fall|in diesem fall|wenn nicht|falls nicht|wenn das nicht (?:geht|möglich ist)",
      only: "nur|bloß|lediglich",
      lasting:
        "nie|niemals|immer|stets|kein|keine|keinen|nicht|ab jetzt|ab sofort|künftig|verwende|verwenden|nutze|nutzen|benutze|benutzen|bearbeite|schreib|schreibe|antworte|arbeite|frag|frage",
    }),
  ],
  unclear: [
    "(?:mach|mache|tu|tue|lass|lasse) (?:das|es|sowas|so etwas|so was)(?: bitte)? (?:nicht|nie|niemals|so|sein|bleiben)?(?: mehr| wieder)?",
    "(?:bitte )?(?:nicht|nie|niemals|immer)",
  ],
  takesBack: [
    "(?:vergiss|ignorier|ignoriere|streich|streiche|verwirf|vergesst) (?:bitte )?(?:das|die|den|meine|alle|diese|dieses)(?: [^\\s.!?;,]+){0,8}? (?:regel|regeln|verbot|vorgabe|vorgaben|einschränkung|anweisung|beschränkung)",
    "(?:vergiss|ignorier|ignoriere|streich|streiche),? was ich (?:(?:über|zu|zum|zur|vorhin|vorher|eben|gesagt|geschrieben|wegen) ?)*",
    "(?:die|diese|das|meine)(?: [^\\s.!?;,]+){0,8}? ?(?:regel|verbot|vorgabe|einschränkung)(?: [^\\s.!?;,]+){0,6}? (?:gilt nicht mehr|ist (?:aufgehoben|hinfällig|vom tisch|weg|überholt)|entfällt|kann weg|hat sich erledigt)",
    "du (?:musst|brauchst) [^.!?;]{1,80} (?:nicht mehr|nicht länger)",
  ],
  takesBackLast: [
    "(?:vergiss|streich) (?:das|es|'s)(?: wieder)?(?=\\s*(?:[.,!;–—-]|$))",
    "ich (?:habe|hab)'?s? ?(?:es )?(?:mir )?(?:mir |meine meinung )?(?:anders überlegt|geändert)|ich habe meine meinung geändert",
  ],
  allows: [
    "(?:du|sie) (?:darfst|dürfen|kannst|können)(?: [^.!?;]{1,80}?)? (?:jetzt|nun|wieder|doch|ab sofort|ab jetzt)",
    "(?:jetzt|nun|ab jetzt|ab sofort) (?:darfst|kannst) du",
    "(?:es ist|ist) (?:jetzt |nun |wieder )?(?:ok|okay|in ordnung|erlaubt)(?: jetzt)?,?(?: wenn du| dass du| zu)?",
    "[^.!?;,]{2,80} (?:ist|sind) (?:jetzt|nun|wieder|ab sofort) (?:erlaubt|ok|okay|in ordnung)",
  ],
  approvals: ["ohne|bevor|außer|es sei denn|frag|rücksprache|erlaubnis|zustimmung|freigabe|bis"],
  headings: [
    "(?:(?:die|unsere|meine|wichtige|allgemeine|ein paar|grund|spiel) ?)*(?:regeln|vorgaben|richtlinien|konventionen|einschränkungen|grundregeln|spielregeln)(?: (?:für|in|zum) [^.!?;:]{1,60})?",
  ],
  exceptions: ["es sei denn|außer|ausgenommen|sonst|sofern|nicht einmal|auch nicht"],
  continuations: [
    "es sei denn|außer|ausgenommen|sonst|und|oder|aber|sondern|sofern|solange|wenn nicht|denn|weil|damit|z\\. ?b\\.",
  ],
  abbreviations: [
    "z.b.",
    "z.",
    "d.h.",
    "d.",
    "u.a.",
    "o.ä.",
    "bzw.",
    "ca.",
    "usw.",
    "etc.",
    "ggf.",
    "inkl.",
    "evtl.",
    "vgl.",
    "nr.",
  ],
  closingAbbreviations: ["usw.", "etc.", "o.ä.", "nr."],
  emptyWords:
    "der die das den dem des ein eine einen einem einer kein keine keinen nicht nie niemals immer nur bitte und oder aber auch du dir dich mir mich ich wir uns es sie er ist sind war wird werden darf darfst dürfen kann kannst können soll sollst muss musst jetzt nun wieder doch ab sofort an in im auf mit ohne für von vom zu zum zur bei über was wie wenn dass so regel regeln verbot gesagt vergiss ignoriere streich gilt mehr aufgehoben ok okay in ordnung erlaubt frag frage vorher zuerst bevor nichts alle alles mein meine meiner habe mal schon hier dort",
  sameVerbs: [
    "ändern ändere anfassen fass fasse bearbeiten bearbeite verändern verändere anrühren rühre",
    "löschen lösche entfernen entferne",
    "benutzen benutze verwenden verwende nutzen nutze nimm nehmen",
    "pushen pushe push",
    "committen committe commite commit",
    "deployen deploye deploy veröffentlichen",
    "installieren installiere",
    "mergen merge",
  ],
};
