import type { RuleLanguage } from "./rule-language.ts";

const KEEPING =
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
    "(?:si|cuando|antes de|después de|en|para|con|mientras) [^,;:.!?]{2,90},",
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
    "no (?:me |lo |la |los |las |le |te |nos )?\\p{L}+(?:es|as|ís|en|an|áis|éis)",
    "no (?:quiero|quiero que|deseo|acepto|permito|se (?:puede|debe|permite)|debes|debe|deben|debéis|hay que|vuelvas|toques|hagas|uses|pongas|subas|borrar|modificar|tocar|cambiar|usar|eliminar|instalar|commitear|subir|hacer|añadir|agregar|desplegar|mezclar|crear|editar)",
    "nunca|jamás|siempre \\p{L}+",
    "(?:usa|utiliza|usen|emplea|escribe|responde|contesta|modifica|cambia|trabaja|edita|habla|pregunta)(?:me)? (?:siempre|solo|sólo|solamente|únicamente|exclusivamente|a partir de ahora)|usa [^.!?;]{1,60} (?:a partir de ahora|de ahora en adelante|siempre|en todo)",
    "(?:pregúntame|pregunta|consúltame|consulta|avísame|confírmame|confirma)(?: conmigo)?(?: siempre| primero)? antes|(?:pregúntame|consúltame) (?:siempre|primero)|espera (?:mi|a que)|pide (?:mi|me) permiso",
    `deja(?:d)? [^.!?;]{1,100} (?:${KEEPING})|no me toques`,
    `(?:mantén|mantened|mantenga|conserva|guarda) [^.!?;]{1,100} (?:${KEEPING}|actualizad[oa]s?|en secreto|al mínimo)`,
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
    "(?:solo|sólo|solamente|únicamente) \\p{L}[^.!?;,]{1,50}",
    "no (?:más|nuevas?|nuevos?) \\p{L}[^.!?;,]{1,50}",
    "\\p{L}[^.!?;,]{1,50},? (?:siempre|solamente|únicamente)",
  ],
  doubtful: ["(?:debes|tienes que|hay que)|(?:nosotros )?(?:nunca|siempre) \\p{L}+mos|mantenlo "],
  oneOff: [
    "todavía|aún|por ahora|de momento|por el momento|hoy|mañana|esta vez|ahora mismo|hasta (?:mañana|el lunes|el viernes|luego)",
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
    "(?:está|es) (?:bien|permitido|ok)(?: ahora| ya)?(?: que| si)?|ya (?:está|están) permitid[oa]s?",
    "[^.!?;,]{2,80} (?:ya|ahora) (?:está|están) permitid[oa]s?",
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
