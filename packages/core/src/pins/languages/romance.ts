import { followsOnce, type RuleLanguage, writtenIn } from "./rule-language.ts";

const FRENCH_KEEPING =
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
    writtenIn({
      before: "tou(?:s|tes)|les|le|la|l'|mes|tes|nos|vos",
      things:
        "commentaires?(?: (?:du|de) code)?|messages? de commits?|commits?|réponses?|noms? de [^\\s.!?;,]+|variables?|documentation|docs?|docstrings?|code|readme|changelog|(?:titres?|descriptions?) (?:de|des) prs?|prs?|logs?|tests?",
      ...{ and: "et", always: "toujours|uniquement|seulement|s'il (?:te|vous) plaît|stp|svp|merci" },
      how: "en (?:anglais|français|allemand|espagnol|minuscules?|majuscules?|camelcase|snake_case|kebab-case|utc|markdown)",
    }),
    "(?:ne|n') ?\\p{L}[^.!?;,]{0,60}? (?:pas|jamais|rien|plus|aucune?|que)",
    "(?:surtout )?(?:jamais|ne jamais|ne pas|n'utilise jamais)|toujours \\p{L}+(?:er|ir|re|e|ez)",
    "(?:utilise|utilisez|emploie|écris|écrivez|réponds|répondez|modifie|modifiez|change|lance|teste|commente|garde|travaille|demande|vérifie|fais|mets|prends|parle)(?:-moi)? (?:toujours|uniquement|seulement|exclusivement|que|systématiquement|désormais)",
    "(?:demande|demandez)(?:-moi)? (?:toujours |d'abord |la permission |l'autorisation |mon accord |avant )+|(?:demande|demandez)-moi avant|préviens-moi avant|attends mon|attends ma|vérifie avec moi",
    `(?:laisse|laissez) [^.!?;]{1,100} (?:${FRENCH_KEEPING})`,
    `(?:garde|gardez|conserve|conservez) [^.!?;]{1,100} (?:${FRENCH_KEEPING}|secrète?s?|minimal(?:e|es|iste)?)`,
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
    "\\p{L}[^.!?;,]{1,50},? (?:uniquement|seulement|toujours|exclusivement)|touche pas à [^.!?;]{1,60}|ne pas \\p{L}[^.!?;]{1,80}",
  ],
  doubtful: ["tu dois|il faut|(?:nous|on) (?:n'|ne )?[^.!?;]{1,40} (?:jamais|toujours)|garde (?:ça|cela) "],
  oneOff: [
    `pas encore|pour l'instant|pour le moment|tout de suite|aujourd'hui|demain|cette fois|ce soir|jusqu'à (?:demain|lundi|vendredi)|maintenant$|${followsOnce({ hence: "alors|dans ce cas|sinon|si c'est (?:impossible|comme ça)|si ce n'est pas possible", only: "seulement|uniquement|juste", lasting: "jamais|toujours|désormais|ne|n'\\S+|utilise|utilisez|emploie|écris|réponds|travaille|parle|demande" })}`,
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

const SPANISH_KEEPING =
  "tal (?:y )?(?:como|cual)(?: está[ns]?)?|como está[ns]?|intact[oa]s?|sin cambios|en paz|quiet[oa]s?|estables?|compatibles?|cort[oa]s?|brev[ea]s?|simples?|como referencia|sin tocar";

/** How rules are phrased in Spanish. */
export const spanish: RuleLanguage = {
  name: "Spanish",
  script: "latin",
  marks: [
    "el|la|los|las|un|una|de|del|nunca|jamás|siempre|no|por|favor|y|o|en|con|sin|para|que|es|son|tú|usted|olvida|ya|puedes|usa|deja|ningún|ninguna|solo|sólo|mi|mis|lo|al|eso|esa|ahora|evita|mantén|antes|todavía|código|esta|este",
  ],
  openers: [
    "por favor|porfa|y|pero|también|además|ok|vale|bueno|bien|entonces|importante|atención|nota|ojo|regla|recuerda(?: que)?|recordatorio|sí|hola|gracias|oye|luego|en general|otra cosa|una cosa más|insisto",
    "todavía|aún|por ahora|de momento|no(?=[,.!])|pase lo que pase|hagas lo que hagas|asegúrate de(?: que)?|procura|ten en cuenta(?: que)?|quiero que|necesito que|te pido que|como (?:ya )?(?:te )?dije|repito|debes|tienes que|hay que",
    "a partir de ahora|de ahora en adelante|en adelante|en el futuro|en este (?:proyecto|repo|repositorio)|para este proyecto",
    "(?:si|cuando|antes de|después de|en|para|con|mientras) [^,;:.!?]{2,90},|(?:hasta que|mientras|antes de que) [^,;:.!?]{2,60}(?= no \\p{L})",
  ],
  telling: [
    "(?:yo|él|ella|ellos|nosotros|esto|eso|esta|este|el|la|los|las|un|una|mi|mis|hay|es|está|son|ha|he|creo|parece|quizás|por qué|cómo|qué|quién|puedes|podrías|me|se)",
  ],
  reports: [
    "(?:(?!(?:yo|nosotros|tú|nunca|siempre|no) )[^\\s.!?;:]+ ){0,8}?(?:(?:me|nos) (?:dijo|dijeron|ha dicho|escribió|contó|pidió)|dijo|dice|dicen|decía|escribió|escribe|indica|recomienda|exige|afirma|pone que)",
    "(?:según|de acuerdo con) (?!yo|mí)[^\\s.!?;:]+",
  ],
  handsOver: [
    "(?:traduce|traduzca|traducir|resume|resúmeme|resumir|reformula|reformular|corrige|corregir|reescribe|reescribir|acorta|transcribe|interpreta|parafrasea|explica(?:me)?(?! (?:por qué|cómo))|comenta (?:esta|este|la|el))",
    "(?:mejora|revisa|simplifica|analiza|lee|mira|responde a|contesta a)(?: [^\\s.!?;:]+){0,6}? (?:frases?|textos?|párrafo|correos?|e-?mail|mensajes?|carta|artículo|cita|redacción|borrador|ortografía|gramática|traducción|oración)",
    "qué (?:significa|quiere decir)|cómo (?:se dice|dirías|traducirías)",
  ],
  shows: [
    "(?:aquí (?:está|tienes|va)|este es|esta es|he recibido)(?: [^\\s.!?;:]+){0,4}? (?:texto|correo|e-?mail|mensaje|carta|artículo|borrador|documento|cita|frase)",
  ],
  joins: ["pero|y|luego|entonces|o|porque|por favor"],
  contrasts: ["pero"],
  notOrders: [
    "no (?:sé|se|sabía|tengo|tienes|tiene|hay|es|está|estoy|estás|son|puedo|puedes|puede|quiero que te preocupes|quieres|entiendo|entiendes|funciona|va|vale la pena|pasa|importa|pasa nada|creo|me|te preocupes|olvides|sabes|veo|ves|parece|existe|compila|carga|aparece|encuentro|encuentra|entra|dudes|obstante|era|fue|lo sé|lo entiendo|sirve|responde|encaja|aparecen|debería fallar|necesitas|vas|llegas|eres|haces|dices|usas)",
    "nunca (?:he|ha|había|visto|me|lo había|funciona|se|la había)|siempre (?:me|se|falla|da|devuelve|ha|pasa|funciona|está|es|que)|ningún problema|ninguna (?:idea|duda|prisa)|sin problema|solo (?:un|una|que|para|por|quiero|quería|necesito|era|falta)",
  ],
  orders: [
    writtenIn({
      before: "tod[oa]s?|los|las|el|la|mis|tus|nuestr[oa]s",
      things:
        "comentarios?(?: (?:del|de) código)?|mensajes? de(?: los?)? commits?|commits?|respuestas?|nombres? de [^\\s.!?;,]+|variables?|documentación|docs?|docstrings?|código|readme|changelog|(?:títulos?|descripci(?:ón|ones)) de(?: los?| las?)? prs?|prs?|logs?|tests?",
      ...{ and: "y", always: "siempre|solo|sólo|solamente|únicamente|por favor" },
      how: "en (?:inglés|español|castellano|alemán|francés|minúsculas?|mayúsculas?|camelcase|snake_case|kebab-case|utc|markdown)",
    }),
    "(?:los|las|el|la) [^\\s.!?;,]+ siempre (?:con|sin) (?!error|fall|problema|warning|aviso|bug|retras)[^.!?;,]{1,40}(?=[\\s.!…]*$)",
    "no (?:me |lo |la |los |las |le |te |nos )?\\p{L}+(?:es|as|ís|en|an|áis|éis)",
    "no (?:quiero|quiero que|deseo|acepto|permito|se (?:puede|debe|permite)|debes|debe|deben|debéis|hay que|vuelvas|toques|hagas|uses|pongas|subas|borrar|modificar|tocar|cambiar|usar|eliminar|instalar|commitear|subir|hacer|añadir|agregar|desplegar|mezclar|crear|editar)",
    "nunca|jamás|siempre \\p{L}+",
    "(?:usa|utiliza|usen|emplea|escribe|responde|contesta|modifica|cambia|trabaja|edita|habla|pregunta)(?:me)? (?:siempre|solo|sólo|solamente|únicamente|exclusivamente|a partir de ahora)|usa [^.!?;]{1,60} (?:a partir de ahora|de ahora en adelante|siempre|en todo)",
    "(?:pregúntame|pregunta|consúltame|consulta|avísame|confírmame|confirma)(?: conmigo)?(?: siempre| primero)? antes|(?:pregúntame|consúltame) (?:siempre|primero)|espera (?:mi|a que)|pide (?:mi|me) permiso",
    `deja(?:d)? [^.!?;]{1,100} (?:${SPANISH_KEEPING})|no me toques`,
    `(?:mantén|mantened|mantenga|conserva|guarda) [^.!?;]{1,100} (?:${SPANISH_KEEPING}|actualizad[oa]s?|en secreto|al mínimo)`,
    "evita|evitad|deja de|prohibido|queda(?:n)? prohibid[oa]s?|está(?:n)? prohibid[oa]s?|abstente|limítate|cíñete|ni se te ocurra|en ningún caso|bajo ningún concepto|bajo ninguna circunstancia|ni toques",
    "(?:responde|contesta|escribe|habla)(?:me)?(?: siempre| solo)? en (?:español|inglés|castellano|alemán|francés)",
    "(?:debes|tienes que|has de) (?:siempre|nunca)|(?:solo|sólo|únicamente) (?:usa|utiliza|modifica|edita|toca|cambia|responde|escribe|puedes|debes)|(?:nunca|siempre) debes",
    "te (?:agradecería|pediría|rogaría|agradezco|pido|ruego) que (?:no|nunca|siempre)|(?:preferiría|me gustaría) que (?:no|nunca|siempre)",
    "prefiero(?: que)?|prefiere|respeta (?:la|las|el|los|nuestr|mis)|tod[oa]s? (?:los|las|el|la) [^.!?;]{1,80} (?:debe|deben|tiene que|tienen que) |quiero (?:solo|sólo|únicamente|siempre)",
  ],
  standing: [
    "a partir de ahora|de ahora en adelante|en adelante|antes de cada (?:commit|push|merge|despliegue|cambio)|en cada (?:commit|push|cambio|paso|respuesta)|después de cada (?:cambio|paso|commit)",
    "sin (?:modificar|tocar|borrar|romper|cambiar|eliminar|añadir)",
  ],
  anywhere: [
    "(?:nunca|jamás) (?:debe|deben|debería|deberían|puede|pueden)|no (?:debe|deben) (?:nunca|jamás|ser|cambiar|contener|modificarse|tocarse)",
    "(?:a partir de ahora|de ahora en adelante|en adelante),? [^.!?;]{1,80} (?:siempre|sólo|solo|únicamente|nunca|jamás|en inglés|en español)",
    "en ningún caso|bajo ningún concepto|bajo ninguna circunstancia|sin (?:preguntarme|preguntar|consultarme|mi (?:permiso|aprobación|autorización|visto bueno)|avisarme|permiso|autorización)",
    "debe(?:n)? (?:quedar(?:se)?|permanecer|seguir) (?:como|igual|intact|estable|sin|compatible)\\p{L}*",
  ],
  polite: ["(?:puedes|podrías|podría|pueden|podemos)(?: por favor)?"],
  politeNot: ["no|nunca|evitar|dejar de"],
  elliptic: [
    "(?:ningún|ninguna|nada de|sin) (?!problema|duda|prisa|embargo)\\p{L}[^.!?;,]{1,60}(?:,? por favor)?",
    "(?:solo|sólo|solamente|únicamente) \\p{L}[^.!?;,]{1,50}|no (?:más|nuevas?|nuevos?) \\p{L}[^.!?;,]{1,50}|\\p{L}[^.!?;,]{1,50},? (?:siempre|solamente|únicamente)",
  ],
  doubtful: ["(?:debes|tienes que|hay que)|(?:nosotros )?(?:nunca|siempre) \\p{L}+mos|mantenlo "],
  oneOff: [
    `todavía|aún|por ahora|de momento|por el momento|hoy|mañana|esta vez|ahora mismo|hasta (?:mañana|el lunes|el viernes|luego)|${followsOnce({ hence: "entonces|en ese caso|en este caso|si no(?: es posible| se puede)?|si es así", only: "solo|sólo|solamente|únicamente", lasting: "nunca|jamás|siempre|no|a partir de ahora|usa|usen|utiliza|emplea|escribe|responde|trabaja|habla|edita|pregunta" })}`,
  ],
  unclear: [
    "no (?:lo|la|los|las) \\p{L}+(?: más| nunca| otra vez)?|no (?:hagas|vuelvas a hacer) (?:eso|esto)(?: más| nunca)?|déjal[oa]s?(?: [^.!?;]{1,30})?",
  ],
  takesBack: [
    "(?:olvida|olvídate de|ignora|cancela|quita|elimina|deja de lado) (?:ya )?(?:la|esa|esta|las|esas|mi|mis|todas las|lo de la)(?: [^\\s.!?;,]+){0,8}? ?(?:reglas?|restricciones|restricción|normas?|instrucción|instrucciones|prohibición|limitación)",
    "(?:olvida|olvídate de|ignora) (?:todo )?lo que (?:te )?(?:dije|he dicho|pedí|escribí)(?: sobre| de| acerca de| del)?",
    "(?:la|esa|esta|mi)(?: [^\\s.!?;,]+){0,8}? ?(?:regla|restricción|norma|prohibición)(?: [^\\s.!?;,]+){0,6}? (?:ya no (?:aplica|vale|se aplica|rige|cuenta)|queda (?:anulada|sin efecto|cancelada)|ha terminado)",
    "ya no (?:hace falta|tienes que|es necesario|necesitas|hay que)",
  ],
  takesBackLast: [
    "(?:olvídalo|olvida eso|déjalo|olvídate)(?=\\s*(?:[.,!;–—-]|$))|(?:he cambiado|cambié) de (?:opinión|idea)",
  ],
  allows: [
    "(?:ahora |ya )(?:sí )?(?:puedes|podéis|puede)|puedes (?:ahora|ya|otra vez|de nuevo|volver a)|puedes [^.!?;]{1,80} (?:ahora|otra vez|de nuevo|si quieres)|(?:ahora )?(?:ya )?tienes permiso para",
    "(?:está|es) (?:bien|permitido|ok)(?: ahora| ya)?(?: que| si)?|ya (?:está|están) permitid[oa]s?|[^.!?;,]{2,80} (?:ya|ahora) (?:está|están) permitid[oa]s?",
  ],
  approvals: ["sin|antes|salvo|excepto|a menos|pregunta|pregúntame|permiso|aprobación|hasta"],
  headings: [
    "(?:(?:las|nuestras|mis|algunas) )?(?:reglas|normas|restricciones|convenciones|directrices|pautas)(?: (?:del|de|para) [^.!?;:]{1,60})?",
  ],
  exceptions: ["salvo|excepto|a menos|a no ser|si no|siempre que|ni siquiera"],
  continuations: ["salvo|excepto|a menos|a no ser|si no|y|o|pero|sino|siempre que|ni|porque|p\\. ?ej\\."],
  abbreviations: ["p.", "p.ej.", "etc.", "aprox.", "sr.", "sra.", "ud.", "vs."],
  closingAbbreviations: ["etc."],
  emptyWords:
    "el la los las lo un una unos unas de del al a en con sin por para y o pero que no nunca jamás siempre ya ahora sí si tú usted me te se mi mis yo es son está están puedes puede podéis debes favor regla restricción norma olvida ignora dije he dicho sobre acerca cambiado opinión vale ok bien permitido otra vez nuevo solo sólo antes nada más este esta ese esa eso esto",
  sameVerbs: [
    "modificar modifiques modifica tocar toques toca cambiar cambies cambia editar edites edita",
    "borrar borres borra eliminar elimines elimina quitar quites",
    "usar uses usa utilizar utilices utiliza",
    "subir subas push pushear hacer",
    "instalar instales instala añadir añadas agregar agregues",
    "desplegar despliegues despliega",
  ],
};

const PORTUGUESE_KEEPING =
  "como (?:está|estão|é|são)|do jeito que (?:está|estão)|intact[oa]s?|sem alteraç(?:ão|ões)|em paz|quiet[oa]s?|estáve(?:l|is)|compatíve(?:l|is)|curt[oa]s?|brev[ea]s?|simples|como referência|atualizad[oa]s?";

/** How rules are phrased in Portuguese. */
export const portuguese: RuleLanguage = {
  name: "Portuguese",
  script: "latin",
  marks: [
    "o|a|os|as|um|uma|de|do|da|dos|das|n[ãa]o|nunca|jamais|sempre|por|favor|e|ou|em|no|na|com|sem|para|que|é|são|voc[êe]|esqueça|esquece|já|pode|use|deixe|nenhum|nenhuma|só|apenas|meu|minha|isso|agora|mais|evite|mantenha|antes|ainda|código|esta|este|ao|à",
  ],
  openers: [
    "por favor|pfv|pf|e|mas|também|além disso|ok|certo|bom|então|importante|atenção|nota|obs|regra|lembre-se(?: que| de)?|lembre(?: que| de)?|lembrete|sim|oi|olá|obrigado|obrigada|depois|em geral|outra coisa|mais uma coisa|repito",
    "ainda|por enquanto|por ora|n[ãa]o(?=[,.!])|aconteça o que acontecer|faça o que fizer|certifique-se de(?: que)?|garanta que|tenha em mente(?: que)?|quero que voc[êe]|preciso que voc[êe]|como (?:eu )?(?:já )?disse|voc[êe] deve|tem que",
    "a partir de agora|de agora em diante|daqui (?:para|pra) frente|no futuro|neste (?:projeto|repo|repositório)|para este projeto",
    "(?:se|quando|antes de|depois de|em|para|com|enquanto) [^,;:.!?]{2,90},",
  ],
  telling: [
    "(?:eu|ele|ela|eles|elas|nós|isso|isto|esse|essa|este|esta|o|a|os|as|um|uma|meu|minha|há|é|está|são|foi|tem|acho|parece|talvez|por que|como|quem|pode|poderia|me|se)",
  ],
  reports: [
    "(?:(?!(?:eu|nós|voc[êe]|nunca|sempre|n[ãa]o) )[^\\s.!?;:]+ ){0,8}?(?:(?:me|nos) (?:disse|disseram|falou|escreveu|contou|pediu)|disse|diz|dizem|dizia|falou|escreveu|escreve|indica|recomenda|exige|afirma)",
    "(?:segundo|conforme|de acordo com) (?!eu|mim)[^\\s.!?;:]+",
  ],
  handsOver: [
    "(?:traduza|traduz|traduzir|resuma|resume|resumir|reformule|reformular|corrija|corrige|corrigir|reescreva|reescrever|encurte|transcreva|interprete|parafraseie|explique(?! (?:por que|como))|comente (?:esta|este|essa|esse|a|o))",
    "(?:melhore|revise|simplifique|analise|leia|veja|responda a|responda ao)(?: [^\\s.!?;:]+){0,6}? (?:frases?|textos?|parágrafo|e-?mails?|mensagem|mensagens|carta|artigo|citação|redação|rascunho|ortografia|gramática|tradução)",
    "o que (?:significa|quer dizer)|como (?:se diz|voc[êe] diria|traduzir)",
  ],
  shows: [
    "(?:aqui está|aqui vai|este é|esta é|recebi)(?: [^\\s.!?;:]+){0,4}? (?:texto|e-?mail|mensagem|carta|artigo|rascunho|documento|citação|frase)",
  ],
  joins: ["mas|e|depois|então|ou|porque|por favor"],
  contrasts: ["mas"],
  notOrders: [
    "n[ãa]o (?:sei|sabia|tenho|tem|há|é|está|estou|são|posso|consigo|consegue|quer|entendo|entendi|funciona|vai|vale a pena|importa|acho|me|se preocupe|esqueça|vejo|parece|existe|compila|carrega|aparece|encontrei|encontra|passa|era|foi|deveria falhar|precisa|responde|hesite|deu|dá|rola|roda)",
    "nunca (?:vi|tive|ouvi|funciona|tinha|aconteceu|mais vi|foi|me)|sempre (?:que|me|falha|dá|retorna|foi|funciona|está|é)|sem (?:problema|problemas|dúvida|pressa)|nenhum problema|nenhuma (?:ideia|dúvida|pressa)|só (?:um|uma|que|para|quero|queria|preciso|falta)",
  ],
  orders: [
    writtenIn({
      before: "tod[oa]s?|os|as|o|a|meus|minhas|seus|suas|noss[oa]s",
      things:
        "comentários?(?: (?:do|de) código)?|mensagens? de commits?|commits?|respostas?|nomes? de [^\\s.!?;,]+|variáveis|documentação|docs?|docstrings?|código|readme|changelog|(?:títulos?|descriç(?:ão|ões)) d[eo]s? prs?|prs?|logs?|testes?",
      ...{ and: "e", always: "sempre|só|somente|apenas|por favor" },
      how: "em (?:inglês|português|espanhol|alemão|francês|minúsculas?|maiúsculas?|camelcase|snake_case|kebab-case|utc|markdown)",
    }),
    "n[ãa]o (?:me |o |a |os |as |lhe |te |se )?\\p{L}+(?:e|a|em|am|es|as)(?: |$)",
    "n[ãa]o (?:quero|aceito|permito|pode|podem|deve|devem|se (?:deve|pode)|mexa|mexe|toque|altere|apague|delete|use|faça|instale|suba|commite|modifique|crie|adicione|remova|modificar|mexer|tocar|mudar|usar|apagar|deletar|instalar|alterar|fazer|adicionar|criar|editar|dar|commitar)",
    "nunca|jamais|sempre \\p{L}+",
    "(?:use|usa|utilize|escreva|responda|responde|modifique|altere|trabalhe|edite|fale|pergunte)(?: sempre| só| somente| apenas| exclusivamente| unicamente)+|use [^.!?;]{1,60} (?:a partir de agora|de agora em diante|sempre|em tudo)",
    "(?:me pergunte|pergunte|me consulte|consulte|me avise|avise|confirme|me peça)(?:-me)?(?: comigo)?(?: sempre| primeiro)? antes|(?:pergunte-me|me pergunte) (?:sempre|primeiro)|espere (?:a minha|minha|o meu|meu|eu)|peça (?:minha )?permissão",
    `deix(?:e|a|em) [^.!?;]{1,100} (?:${PORTUGUESE_KEEPING})`,
    `(?:mantenha|mantém|conserve|guarde) [^.!?;]{1,100} (?:${PORTUGUESE_KEEPING}|em segredo|no mínimo)`,
    "evite|pare de|proibido|é proibido|fica(?:m)? proibid[oa]s?|está(?:o)? proibid[oa]s?|limite-se|atenha-se|nem pense em|de jeito nenhum|em hipótese alguma|em nenhuma hipótese|sob nenhuma circunstância|em nenhum caso",
    "(?:responda|responde|escreva|fale)(?: sempre| só| apenas)? em (?:português|inglês|espanhol|alemão)",
    "(?:voc[êe] )?(?:deve|tem que) (?:sempre|nunca)|(?:só|somente|apenas) (?:use|utilize|modifique|edite|mexa|altere|responda|escreva|pode|deve)|(?:nunca|sempre) deve",
    "(?:eu )?(?:agradeceria|gostaria|preferiria|agradeço)(?: muito)? (?:se|que) (?:voc[êe] )?(?:n[ãa]o|nunca|sempre)",
    "prefiro(?: que)?|prefira|respeite (?:o|a|os|as|noss|meu)|tod[oa]s? (?:os|as|o|a) [^.!?;]{1,80} (?:deve|devem|tem que|têm que|precisa|precisam) |quero (?:só|somente|apenas|sempre)",
  ],
  standing: [
    "a partir de agora|de agora em diante|daqui (?:para|pra) frente|antes de cada (?:commit|push|merge|deploy|alteração)|em cada (?:commit|push|alteração|passo|resposta)|depois de cada (?:alteração|passo|commit)",
    "sem (?:modificar|mexer|tocar|apagar|quebrar|alterar|mudar|remover|adicionar)",
  ],
  anywhere: [
    "(?:nunca|jamais) (?:deve|devem|deveria|pode|podem)|n[ãa]o (?:deve|devem|pode|podem) (?:nunca|jamais|ser|mudar|conter)",
    "(?:a partir de agora|de agora em diante|daqui (?:para|pra) frente),? [^.!?;]{1,80} (?:sempre|só|somente|apenas|nunca|jamais|em inglês|em português)",
    "em hipótese alguma|em nenhuma hipótese|de jeito nenhum|sob nenhuma circunstância|sem (?:me (?:perguntar|consultar|avisar)|perguntar|minha (?:permissão|aprovação|autorização)|meu (?:ok|aval)|permissão|autorização)",
    "deve(?:m)? (?:ficar|permanecer|continuar) (?:como|igual|iguais|intact|estáve|sem|compatíve)\\p{L}*",
  ],
  polite: ["(?:voc[êe] )?(?:pode|poderia|podem|podemos|dá para|consegue)(?: por favor)?"],
  politeNot: ["n[ãa]o|nunca|evitar|parar de"],
  elliptic: [
    "(?:nenhum|nenhuma|nada de|sem) (?!problema|dúvida|pressa|querer)\\p{L}[^.!?;,]{1,60}(?:,? por favor)?",
    "(?:só|somente|apenas) \\p{L}[^.!?;,]{1,50}|\\p{L}[^.!?;,]{1,50},? (?:sempre|somente|apenas)",
  ],
  doubtful: ["(?:voc[êe] )?(?:deve|tem que|precisa)|(?:nós )?(?:nunca|sempre) \\p{L}+mos|mantenha isso "],
  oneOff: [
    `ainda|por enquanto|por ora|no momento|hoje|amanhã|desta vez|agora mesmo|até (?:amanhã|segunda|sexta|depois)|${followsOnce({ hence: "então|nesse caso|neste caso|senão|se não(?: for possível| der)?|se for assim", only: "só|somente|apenas|unicamente", lasting: "nunca|jamais|sempre|não|nao|a partir de agora|use|usa|utilize|escreva|responda|trabalhe|fale|edite|pergunte" })}`,
  ],
  unclear: [
    "n[ãa]o (?:o|a|os|as) \\p{L}+(?: mais| nunca)?|n[ãa]o (?:faça|repita|faz) (?:isso|isto)(?: mais| de novo| nunca mais)?|deixe? (?:isso|isto|ele|ela|pra lá)(?: [^.!?;]{1,30})?",
  ],
  takesBack: [
    "(?:esqueça|esquece|ignore|ignora|cancele|remova|desconsidere) (?:já )?(?:a|essa|esta|as|essas|minha|minhas|todas as|aquela)(?: [^\\s.!?;,]+){0,8}? ?(?:regras?|restrições|restrição|normas?|instrução|instruções|proibição|limitação)",
    "(?:esqueça|esquece|ignore|ignora|desconsidere) (?:tudo )?o que (?:eu )?(?:te )?(?:disse|falei|pedi|escrevi)(?: sobre| de| acerca de| do)?",
    "(?:a|essa|esta|minha)(?: [^\\s.!?;,]+){0,8}? ?(?:regra|restrição|norma|proibição)(?: [^\\s.!?;,]+){0,6}? (?:n[ãa]o (?:vale|se aplica|conta) mais|já n[ãa]o vale|está (?:anulada|cancelada|suspensa)|foi (?:anulada|cancelada|suspensa))",
    "(?:voc[êe] )?n[ãa]o (?:precisa|tem que|é preciso|é necessário) mais|já n[ãa]o (?:precisa|é preciso|é necessário)",
  ],
  takesBackLast: [
    "(?:esqueça|esquece|deixa|deixe) (?:isso|pra lá|disso)(?=\\s*(?:[.,!;–—-]|$))|mudei de (?:ideia|opinião)",
  ],
  allows: [
    "(?:agora|já) (?:voc[êe] )?(?:pode|podem)|(?:voc[êe] )?pode (?:agora|já|de novo|novamente|voltar a)|(?:voc[êe] )?pode [^.!?;]{1,80} (?:agora|de novo|novamente|se quiser)|(?:agora )?tem permissão para",
    "(?:está|é|tudo) (?:bem|permitido|ok|liberado)(?: agora| já)?(?: que| se)?|(?:está|estão) (?:liberad[oa]s?|permitid[oa]s?)",
    "[^.!?;,]{2,80} (?:já|agora) (?:está|estão) (?:liberad|permitid)[oa]s?",
  ],
  approvals: ["sem|antes|salvo|exceto|a menos|pergunte|permissão|aprovação|até"],
  headings: [
    "(?:(?:as|nossas|minhas|algumas) )?(?:regras|normas|restrições|convenções|diretrizes)(?: (?:do|da|de|para) [^.!?;:]{1,60})?",
  ],
  exceptions: ["salvo|exceto|a menos|a n[ãa]o ser|sen[ãa]o|desde que|nem mesmo"],
  continuations: ["salvo|exceto|a menos|a n[ãa]o ser|sen[ãa]o|e|ou|mas|desde que|nem|porque|p\\. ?ex\\."],
  abbreviations: ["p.", "p.ex.", "etc.", "aprox.", "sr.", "sra.", "vs."],
  closingAbbreviations: ["etc."],
  emptyWords:
    "o a os as um uma uns umas de do da dos das em no na nos nas com sem por para e ou mas que não nao nunca jamais sempre já agora sim se você voce me te meu minha eu é são está estão pode podem deve favor regra restrição norma esqueça esquece ignore disse falei sobre mudei ideia opinião ok bem permitido liberado novo novamente só apenas antes nada mais este esta esse essa isso isto",
  sameVerbs: [
    "modificar modifique mexer mexa mexe tocar toque alterar altere mudar mude editar edite",
    "apagar apague deletar delete remover remova excluir exclua",
    "usar use usa utilizar utilize",
    "instalar instale adicionar adicione",
    "subir suba push commitar commite fazer",
  ],
};
