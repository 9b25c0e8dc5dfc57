import type { RuleLanguage } from "./rule-language.ts";

const KEEPING =
  "como (?:está|estão|é|são)|do jeito que (?:está|estão)|intact[oa]s?|sem alteraç(?:ão|ões)|em paz|quiet[oa]s?|estáve(?:l|is)|compatíve(?:l|is)|curt[oa]s?|brev[ea]s?|simples|como referência|atualizad[oa]s?";

/** How rules are phrased in Portuguese. */
export const portuguese: RuleLanguage = {
  name: "Portuguese",
  script: "latin",
  marks: [
    "o|a|os|as|um|uma|de|do|da|dos|das|não|nunca|jamais|sempre|por|favor|e|ou|em|no|na|com|sem|para|que|é|são|você|esqueça|esquece|já|pode|use|deixe|nenhum|nenhuma|só|apenas|meu|minha|isso|agora|mais|evite|mantenha|antes|ainda|código|esta|este|ao|à",
  ],
  openers: [
    "por favor|pfv|pf|e|mas|também|além disso|ok|certo|bom|então|importante|atenção|nota|obs|regra|lembre-se(?: que| de)?|lembre(?: que| de)?|lembrete|sim|oi|olá|obrigado|obrigada|depois|em geral|outra coisa|mais uma coisa|repito",
    "ainda|por enquanto|por ora|não(?=[,.!])|aconteça o que acontecer|faça o que fizer|certifique-se de(?: que)?|garanta que|tenha em mente(?: que)?|quero que você|preciso que você|como (?:eu )?(?:já )?disse|você deve|tem que",
    "a partir de agora|de agora em diante|daqui (?:para|pra) frente|no futuro|neste (?:projeto|repo|repositório)|para este projeto",
    "(?:se|quando|antes de|depois de|em|para|com|enquanto) [^,;:.!?]{2,90},",
  ],
  telling: [
    "(?:eu|ele|ela|eles|elas|nós|isso|isto|esse|essa|este|esta|o|a|os|as|um|uma|meu|minha|há|é|está|são|foi|tem|acho|parece|talvez|por que|como|quem|pode|poderia|me|se)",
  ],
  reports: [
    "(?:(?!(?:eu|nós|você|nunca|sempre|não) )[^\\s.!?;:]+ ){0,8}?(?:(?:me|nos) (?:disse|disseram|falou|escreveu|contou|pediu)|disse|diz|dizem|dizia|falou|escreveu|escreve|indica|recomenda|exige|afirma)",
    "(?:segundo|conforme|de acordo com) (?!eu|mim)[^\\s.!?;:]+",
  ],
  handsOver: [
    "(?:traduza|traduz|traduzir|resuma|resume|resumir|reformule|reformular|corrija|corrige|corrigir|reescreva|reescrever|encurte|transcreva|interprete|parafraseie|explique(?! (?:por que|como))|comente (?:esta|este|essa|esse|a|o))",
    "(?:melhore|revise|simplifique|analise|leia|veja|responda a|responda ao)(?: [^\\s.!?;:]+){0,6}? (?:frases?|textos?|parágrafo|e-?mails?|mensagem|mensagens|carta|artigo|citação|redação|rascunho|ortografia|gramática|tradução)",
    "o que (?:significa|quer dizer)|como (?:se diz|você diria|traduzir)",
  ],
  shows: [
    "(?:aqui está|aqui vai|este é|esta é|recebi)(?: [^\\s.!?;:]+){0,4}? (?:texto|e-?mail|mensagem|carta|artigo|rascunho|documento|citação|frase)",
  ],
  joins: ["mas|e|depois|então|ou|porque|por favor"],
  contrasts: ["mas"],
  notOrders: [
    "não (?:sei|sabia|tenho|tem|há|é|está|estou|são|posso|consigo|consegue|quer|entendo|entendi|funciona|vai|vale a pena|importa|acho|me|se preocupe|esqueça|vejo|parece|existe|compila|carrega|aparece|encontrei|encontra|passa|era|foi|deveria falhar|precisa|responde|hesite|deu|dá|rola|roda)",
    "nunca (?:vi|tive|ouvi|funciona|tinha|aconteceu|mais vi|foi|me)|sempre (?:que|me|falha|dá|retorna|foi|funciona|está|é)|sem (?:problema|problemas|dúvida|pressa)|nenhum problema|nenhuma (?:ideia|dúvida|pressa)|só (?:um|uma|que|para|quero|queria|preciso|falta)",
  ],
  orders: [
    "não (?:me |o |a |os |as |lhe |te |se )?\\p{L}+(?:e|a|em|am|es|as)(?: |$)",
    "não (?:quero|aceito|permito|pode|podem|deve|devem|se (?:deve|pode)|mexa|mexe|toque|altere|apague|delete|use|faça|instale|suba|commite|modifique|crie|adicione|remova|modificar|mexer|tocar|mudar|usar|apagar|deletar|instalar|alterar|fazer|adicionar|criar|editar|dar|commitar)",
    "nunca|jamais|sempre \\p{L}+",
    "(?:use|usa|utilize|escreva|responda|responde|modifique|altere|trabalhe|edite|fale|pergunte)(?: sempre| só| somente| apenas| exclusivamente| unicamente)+|use [^.!?;]{1,60} (?:a partir de agora|de agora em diante|sempre|em tudo)",
    "(?:me pergunte|pergunte|me consulte|consulte|me avise|avise|confirme|me peça)(?:-me)?(?: comigo)?(?: sempre| primeiro)? antes|(?:pergunte-me|me pergunte) (?:sempre|primeiro)|espere (?:a minha|minha|o meu|meu|eu)|peça (?:minha )?permissão",
    `deix(?:e|a|em) [^.!?;]{1,100} (?:${KEEPING})`,
    `(?:mantenha|mantém|conserve|guarde) [^.!?;]{1,100} (?:${KEEPING}|em segredo|no mínimo)`,
    "evite|pare de|proibido|é proibido|fica(?:m)? proibid[oa]s?|está(?:o)? proibid[oa]s?|limite-se|atenha-se|nem pense em|de jeito nenhum|em hipótese alguma|em nenhuma hipótese|sob nenhuma circunstância|em nenhum caso",
    "(?:responda|responde|escreva|fale)(?: sempre| só| apenas)? em (?:português|inglês|espanhol|alemão)",
    "(?:você )?(?:deve|tem que) (?:sempre|nunca)|(?:só|somente|apenas) (?:use|utilize|modifique|edite|mexa|altere|responda|escreva|pode|deve)|(?:nunca|sempre) deve",
    "(?:eu )?(?:agradeceria|gostaria|preferiria|agradeço)(?: muito)? (?:se|que) (?:você )?(?:não|nunca|sempre)",
    "prefiro(?: que)?|prefira|respeite (?:o|a|os|as|noss|meu)|tod[oa]s? (?:os|as|o|a) [^.!?;]{1,80} (?:deve|devem|tem que|têm que|precisa|precisam) |quero (?:só|somente|apenas|sempre)",
  ],
  standing: [
    "a partir de agora|de agora em diante|daqui (?:para|pra) frente|antes de cada (?:commit|push|merge|deploy|alteração)|em cada (?:commit|push|alteração|passo|resposta)|depois de cada (?:alteração|passo|commit)",
    "sem (?:modificar|mexer|tocar|apagar|quebrar|alterar|mudar|remover|adicionar)",
  ],
  anywhere: [
    "(?:nunca|jamais) (?:deve|devem|deveria|pode|podem)|não (?:deve|devem|pode|podem) (?:nunca|jamais|ser|mudar|conter)",
    "(?:a partir de agora|de agora em diante|daqui (?:para|pra) frente),? [^.!?;]{1,80} (?:sempre|só|somente|apenas|nunca|jamais|em inglês|em português)",
    "em hipótese alguma|em nenhuma hipótese|de jeito nenhum|sob nenhuma circunstância|sem (?:me (?:perguntar|consultar|avisar)|perguntar|minha (?:permissão|aprovação|autorização)|meu (?:ok|aval)|permissão|autorização)",
    "deve(?:m)? (?:ficar|permanecer|continuar) (?:como|igual|iguais|intact|estáve|sem|compatíve)\\p{L}*",
  ],
  polite: ["(?:você )?(?:pode|poderia|podem|podemos|dá para|consegue)(?: por favor)?"],
  politeNot: ["não|nunca|evitar|parar de"],
  elliptic: [
    "(?:nenhum|nenhuma|nada de|sem) (?!problema|dúvida|pressa|querer)\\p{L}[^.!?;,]{1,60}(?:,? por favor)?",
    "(?:só|somente|apenas) \\p{L}[^.!?;,]{1,50}",
    "\\p{L}[^.!?;,]{1,50},? (?:sempre|somente|apenas)",
  ],
  doubtful: ["(?:você )?(?:deve|tem que|precisa)|(?:nós )?(?:nunca|sempre) \\p{L}+mos|mantenha isso "],
  oneOff: [
    "ainda|por enquanto|por ora|no momento|hoje|amanhã|desta vez|agora mesmo|até (?:amanhã|segunda|sexta|depois)",
  ],
  unclear: [
    "não (?:o|a|os|as) \\p{L}+(?: mais| nunca)?|não (?:faça|repita|faz) (?:isso|isto)(?: mais| de novo| nunca mais)?|deixe? (?:isso|isto|ele|ela|pra lá)(?: [^.!?;]{1,30})?",
  ],
  takesBack: [
    "(?:esqueça|esquece|ignore|ignora|cancele|remova|desconsidere) (?:já )?(?:a|essa|esta|as|essas|minha|minhas|todas as|aquela)(?: [^\\s.!?;,]+){0,8}? ?(?:regras?|restrições|restrição|normas?|instrução|instruções|proibição|limitação)",
    "(?:esqueça|esquece|ignore|ignora|desconsidere) (?:tudo )?o que (?:eu )?(?:te )?(?:disse|falei|pedi|escrevi)(?: sobre| de| acerca de| do)?",
    "(?:a|essa|esta|minha)(?: [^\\s.!?;,]+){0,8}? ?(?:regra|restrição|norma|proibição)(?: [^\\s.!?;,]+){0,6}? (?:não (?:vale|se aplica|conta) mais|já não vale|está (?:anulada|cancelada|suspensa)|foi (?:anulada|cancelada|suspensa))",
    "(?:você )?não (?:precisa|tem que|é preciso|é necessário) mais|já não (?:precisa|é preciso|é necessário)",
  ],
  takesBackLast: [
    "(?:esqueça|esquece|deixa|deixe) (?:isso|pra lá|disso)(?=\\s*(?:[.,!;–—-]|$))|mudei de (?:ideia|opinião)",
  ],
  allows: [
    "(?:agora|já) (?:você )?(?:pode|podem)|(?:você )?pode (?:agora|já|de novo|novamente|voltar a)|(?:você )?pode [^.!?;]{1,80} (?:agora|de novo|novamente|se quiser)|(?:agora )?tem permissão para",
    "(?:está|é|tudo) (?:bem|permitido|ok|liberado)(?: agora| já)?(?: que| se)?|(?:está|estão) (?:liberad[oa]s?|permitid[oa]s?)",
    "[^.!?;,]{2,80} (?:já|agora) (?:está|estão) (?:liberad|permitid)[oa]s?",
  ],
  approvals: ["sem|antes|salvo|exceto|a menos|pergunte|permissão|aprovação|até"],
  headings: [
    "(?:(?:as|nossas|minhas|algumas) )?(?:regras|normas|restrições|convenções|diretrizes)(?: (?:do|da|de|para) [^.!?;:]{1,60})?",
  ],
  exceptions: ["salvo|exceto|a menos|a não ser|senão|desde que|nem mesmo"],
  continuations: ["salvo|exceto|a menos|a não ser|senão|e|ou|mas|desde que|nem|porque|p\\. ?ex\\."],
  abbreviations: ["p.", "p.ex.", "etc.", "aprox.", "sr.", "sra.", "vs."],
  closingAbbreviations: ["etc."],
  emptyWords:
    "o a os as um uma uns umas de do da dos das em no na nos nas com sem por para e ou mas que não nunca jamais sempre já agora sim se você me te meu minha eu é são está estão pode podem deve favor regra restrição norma esqueça esquece ignore disse falei sobre mudei ideia opinião ok bem permitido liberado novo novamente só apenas antes nada mais este esta esse essa isso isto",
  sameVerbs: [
    "modificar modifique mexer mexa mexe tocar toque alterar altere mudar mude editar edite",
    "apagar apague deletar delete remover remova excluir exclua",
    "usar use usa utilizar utilize",
    "instalar instale adicionar adicione",
    "subir suba push commitar commite fazer",
  ],
};
