import type { RuleLanguage } from "./rule-language.ts";

const KEEPING =
  "tel(?:le)?s? quel(?:le)?s?|comme (?:il|elle|ils|elles|c')[^.!?;]{0,12}|intacte?s?|inchangée?s?|tranquilles?|en place|compatibles?|stables?|courte?s?|concise?s?|simples?|à jour|pour référence";

/** How rules are phrased in French. */
export const french: RuleLanguage = {
  name: "French",
  script: "latin",
  marks: [
    "le|la|les|l|un|une|des|de|du|d|ne|n|pas|jamais|toujours|et|ou|tu|vous|je|j|il|faut|sans|avec|pour|dans|est|sont|s'il|te|plaît|oublie|oubliez|que|ce|aucune?|seulement|uniquement|désormais|maintenant|nos|mes|utilise|utilisez|merci|peux|évite|évitez|garde|réponds|traduis|ta|ton|tes|son|sa",
  ],
  openers: [
    "s'il (?:te|vous) plaît|stp|svp|merci de|et|mais|aussi|donc|ok|bon|bien|alors|important|attention|note|remarque|rappel|règle|au fait|d'ailleurs|oui|salut|bonjour|merci|super|ensuite|puis|en plus|de plus|en général|encore une fois|surtout",
    "pour l'instant|pour le moment|finalement|non(?=[,.!]|\\s+(?:ne |n'|pas |jamais |rien |touche))|quoi qu'il arrive|quoi que tu fasses|n'oublie pas(?: que| de)?|souviens-toi(?: que| de)?|assure-toi (?:de|que)|veille(?:z)? à|fais attention à|je (?:veux|voudrais|souhaite) que tu|il faut que tu|pense(?:z)? à",
    "à partir de maintenant|désormais|dorénavant|à l'avenir|dans ce (?:projet|dépôt|repo)|pour ce projet",
    "(?:si|quand|lorsque|avant|après|dans|pour|avec|tant que|dès que) [^,;:.!?]{2,90},",
  ],
  telling: [
    "(?:je|j'|il|elle|on|nous|ils|elles|ça|ce|c'|cela|le|la|les|un|une|mon|ma|mes|pourquoi|comment|qui|que|quoi|est-ce|est|sont|peux-tu|pourrais-tu|peut-être|apparemment)",
  ],
  reports: [
    "(?:(?!(?:je|j'|nous|tu|ne|jamais|toujours) ?)[^\\s.!?;:]+ ){0,8}?(?:(?:m'a|nous a|m'ont|a|ont) (?:dit|écrit|expliqué|demandé|répété|répondu)|dit|disent|disait|écrit|indique|précise|stipule|recommande|exige|prétend|affirme)",
    "(?:selon|d'après) (?!moi|nous)[^\\s.!?;:]+",
  ],
  handsOver: [
    "(?:traduis|traduisez|traduire|résume|résumez|résumer|reformule|reformulez|reformuler|corrige|corrigez|corriger|relis|relisez|relire|réécris|réécrivez|raccourcis|transcris|interprète|paraphrase|explique(?!(?:z|r)?(?:-moi)? (?:pourquoi|comment))|commente (?:cette|ce|cet|le|la))",
    "(?:améliore|vérifie|simplifie|analyse|lis|regarde|réponds à)z?(?: [^\\s.!?;:]+){0,6}? (?:phrases?|textes?|paragraphe|e-?mails?|mail|messages?|lettre|article|citation|formulation|brouillon|orthographe|grammaire|traduction)",
    "(?:que|qu'est-ce que)(?: [^\\s.!?;:]+){0,6}? (?:dire|signifie|dit)|comment (?:dit-on|dirais-tu|traduire)",
  ],
  shows: [
    "voici (?:[^\\s.!?;:]+ ){1,4}?(?:texte|mail|e-mail|message|lettre|article|brouillon|document|citation|phrase)",
  ],
  joins: ["mais|et|puis|alors|donc|car|ou|parce|s'il"],
  contrasts: ["mais"],
  notOrders: [
    "ne (?:t'inquiète|vous inquiétez|t'en fais|quittez) pas|n'hésite|n'hésitez|ne (?:marche|fonctionne|passe|compile|trouve|voit|veut|sais|sait|peut|peux|répond|s'affiche) (?:pas|plus|jamais|toujours)|n'oublie|n'oubliez|n'(?:est|a|ont|existe|y|apparaît|aime|ai)",
    "jamais (?:vu|eu|entendu|utilisé|compris|marché|pensé)|toujours (?:pas|rien|la|le|les|l'|un|une|en|le même|aussi)|pas (?:de (?:problème|souci|soucis|quoi|panique|chance)|mal|grave|besoin|encore|sûr|sure|vraiment|du tout|si|le|la|ce|très|compris|un|trop)|aucune? (?:idée|problème|souci|importance|chance|erreur)|plus (?:de|tard|ou|besoin)",
  ],
  orders: [
    "(?:ne|n') ?\\p{L}[^.!?;,]{0,60}? (?:pas|jamais|rien|plus|aucune?|que)",
    "(?:surtout )?(?:jamais|ne jamais|ne pas|n'utilise jamais)",
    "toujours \\p{L}+(?:er|ir|re|e|ez)",
    "(?:utilise|utilisez|emploie|écris|écrivez|réponds|répondez|modifie|modifiez|change|lance|teste|commente|garde|travaille|demande|vérifie|fais|mets|prends|parle)(?:-moi)? (?:toujours|uniquement|seulement|exclusivement|que|systématiquement|désormais)",
    "(?:demande|demandez)(?:-moi)? (?:toujours |d'abord |la permission |l'autorisation |mon accord |avant )+|(?:demande|demandez)-moi avant|préviens-moi avant|attends mon|attends ma|vérifie avec moi",
    `(?:laisse|laissez) [^.!?;]{1,100} (?:${KEEPING})`,
    `(?:garde|gardez|conserve|conservez) [^.!?;]{1,100} (?:${KEEPING}|secrète?s?|minimal(?:e|es|iste)?)`,
    "évite(?:z)? (?:de |d'|les |le |la |l'|tout)|arrête(?:z)? de|interdiction de|interdit de|défense de|bas les pattes|touche pas|touchez pas|limite-toi|tiens-t'en à|contente-toi|abstiens-toi",
    "(?:réponds|répondez|écris|écrivez|parle|parlez)(?:-moi)? (?:toujours |uniquement )?en (?:français|anglais|allemand|espagnol)",
    "tu ne (?:dois|peux|devras|devrais) (?:pas|jamais|rien|que)|tu (?:dois|devras) (?:toujours|jamais|uniquement|seulement)|vous ne devez (?:pas|jamais)|vous devez toujours",
    "il (?:ne faut (?:pas|jamais|surtout pas|rien)|faut (?:toujours|impérativement|absolument|jamais))",
    "je ne veux (?:pas|plus|aucune?|jamais|rien|surtout pas)(?: que| de| d'| voir|\\b)|je veux (?:uniquement|seulement|toujours)|je préfère",
    "(?:je préférerais|j'aimerais|je souhaiterais|j'apprécierais)(?: mieux)? que tu (?:ne|n'|évites)|(?:je te|je vous) (?:prie|demande) de ne",
    "préfère(?:z)? |respecte(?:z)? (?:les|la|le|nos|mes) |(?:tous|toutes|chaque) [^.!?;]{1,80} (?:doit|doivent) ",
  ],
  standing: [
    "à partir de maintenant|désormais|dorénavant|à l'avenir|à chaque (?:fois|commit|push|modification|étape)|avant (?:chaque|tout) (?:commit|push|merge|déploiement)",
    "sans (?:modifier|toucher|supprimer|casser|changer|effacer|ajouter)",
  ],
  anywhere: [
    "(?:est|sont|reste|restent) (?:interdite?s?|proscrite?s?|intouchables?|hors limites|hors de question)",
    "ne (?:doit|doivent|devrait|devraient|peut|peuvent) (?:jamais|en aucun cas|sous aucun prétexte)|ne (?:doit|doivent) pas (?:être|changer|contenir|bouger)",
    "(?:à partir de maintenant|désormais|dorénavant|à l'avenir),? [^.!?;]{1,80} (?:toujours|uniquement|seulement|jamais|exclusivement|en (?:anglais|français))",
    "en aucun cas|sous aucun prétexte|sans (?:me (?:demander|prévenir|consulter)|mon (?:accord|autorisation|feu vert)|ma (?:permission|validation)|demander|permission|autorisation)",
    "doi(?:t|vent) (?:toujours |absolument )?(?:rester|être) (?:tel|inchangé|compatible|stable|intact|en |vert)[^.!?;]{0,20}",
  ],
  polite: [
    "(?:peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|tu peux|tu pourrais|est-ce que tu (?:peux|pourrais)|merci de)(?: s'il te plaît)?",
  ],
  politeNot: ["(?:ne|n'|pas|éviter|arrêter|jamais)"],
  elliptic: [
    "(?:pas|plus|aucune?) (?:de |d'|en |dans )?\\p{L}[^.!?;,]{1,60}(?:,? (?:stp|svp|merci|s'il te plaît))?",
    "(?:uniquement|seulement|que) (?:les |des |le |la |du |en )?\\p{L}[^.!?;,]{1,50}",
    "\\p{L}[^.!?;,]{1,50},? (?:uniquement|seulement|toujours|exclusivement)",
    "touche pas à [^.!?;]{1,60}",
    "ne pas \\p{L}[^.!?;]{1,80}",
  ],
  doubtful: ["tu dois|il faut|(?:nous|on) (?:n'|ne )?[^.!?;]{1,40} (?:jamais|toujours)|garde (?:ça|cela) "],
  oneOff: [
    "pas encore|pour l'instant|pour le moment|tout de suite|aujourd'hui|demain|cette fois|ce soir|jusqu'à (?:demain|lundi|vendredi)|maintenant$",
  ],
  unclear: [
    "(?:ne )?(?:fais|faites|refais) (?:pas|plus|jamais|toujours) (?:ça|cela)|(?:ne le|ne la|ne les) \\p{L}+ (?:pas|jamais|plus)|laisse(?:z)?[- ](?:ça|le|la|les|tomber)(?: [^.!?;]{1,30})?",
  ],
  takesBack: [
    "(?:oublie|oubliez|ignore|ignorez|annule|laisse tomber|supprime) (?:donc )?(?:la|cette|les|ces|ma|mes|toutes les|l')(?: ?[^\\s.!?;,]+){0,6}? ?(?:règles?|consignes?|restrictions?|interdictions?|contraintes?|instructions?)",
    "(?:oublie|oubliez|ignore|ignorez) (?:donc )?(?:tout )?ce que j'ai (?:dit|écrit|demandé)(?: sur| à propos d[eu']| concernant| au sujet d[eu'])?",
    "(?:la|cette|ma|l')(?: ?[^\\s.!?;,]+){0,6}? ?(?:règle|consigne|interdiction|restriction|contrainte)(?: [^\\s.!?;,]+){0,6}? (?:ne s'applique plus|n'est plus valable|est levée|est annulée|n'est plus|ne tient plus|ne vaut plus)",
    "tu n'as plus (?:besoin|à) (?:de |d')?|plus besoin de",
  ],
  takesBackLast: [
    "(?:oublie|oubliez|laisse|annule)(?:-| )?(?:ça|cela|tomber)(?=\\s*(?:[.,!;–—-]|$))|j'ai changé d'avis",
  ],
  allows: [
    "tu (?:peux|pourras) (?:maintenant|désormais|à nouveau|de nouveau|finalement)|(?:maintenant|désormais|finalement),? tu peux|vous pouvez (?:maintenant|désormais|à nouveau)|tu (?:peux|as le droit d[e']) ?[^.!?;]{1,80} (?:maintenant|désormais|à nouveau|finalement)|tu as (?:maintenant |de nouveau |à nouveau )?le droit d[e']",
    "(?:c'est|il est) (?:maintenant |désormais |de nouveau )?(?:bon|ok|autorisé|permis|possible) (?:maintenant )?(?:de|d'|pour)",
    "[^.!?;,]{2,80} (?:est|sont) (?:maintenant|désormais|à nouveau) (?:autorisée?s?|permise?s?|ok)",
  ],
  approvals: ["sans|avant|sauf|à moins|demande|accord|permission|autorisation|jusqu'à"],
  headings: [
    "(?:(?:les|nos|mes|quelques) )?(?:règles|consignes|contraintes|conventions|directives)(?: (?:à suivre|du projet|pour [^.!?;:]{1,60}|de [^.!?;:]{1,60}))?",
  ],
  exceptions: ["sauf|à moins|sinon|sauf si|tant que|à condition|même pas"],
  continuations: ["sauf|à moins|sinon|et|ou|mais|sauf si|tant que|à condition|ni|car|parce|p\\. ?ex\\."],
  abbreviations: ["p.", "p.ex.", "c.-à-d.", "cf.", "etc.", "mme.", "n.b."],
  closingAbbreviations: ["etc."],
  emptyWords:
    "le la les l un une des de du d ne n pas jamais toujours plus rien aucun aucune et ou mais tu vous te toi je j me moi il elle on nous ce ça cela c cette ces mon ma mes est sont être faut peux peut dois doit maintenant désormais à au aux dans en sur pour avec sans que qu qui dit écrit demandé ai règle consigne interdiction oublie ignore propos ok bon autorisé permis de nouveau finalement seulement uniquement s il te plaît stp svp avant",
  sameVerbs: [
    "modifier modifie modifiez toucher touche touchez changer change éditer édite",
    "supprimer supprime supprimez effacer efface enlever enlève",
    "utiliser utilise utilisez employer emploie",
    "pousser pousse push",
    "déployer déploie déployez",
    "installer installe ajouter ajoute",
  ],
};
