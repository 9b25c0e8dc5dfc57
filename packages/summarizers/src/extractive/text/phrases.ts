/** What a sentence expresses, as bits, because one sentence may express several things. */
export const RULE = 1;
export const DECISION = 2;
export const FINDING = 4;
export const PREFERENCE = 8;
export const COMPLETION = 16;
export const SETBACK = 32;
export const CANCELLATION = 64;
/** A user's complaint about wrong work. From an agent, the same words describe what it fixed. */
export const COMPLAINT = 128;
/** A request to undo what was done before. */
export const REVERSAL = 256;
/** A user's word that they have undone the agent's work themselves. */
export const UNDONE = 512;

/**
 * The phrases of one language that show what a sentence expresses, in lower case and separated by `|`. Text after ` … `
 * must occur anywhere later in the sentence.
 */
interface PhraseRow {
  readonly language: string;
  readonly phrases: Readonly<Record<number, string>>;
}

/** The phrases of all languages, one row each. To add a language, add its row. */
export const PHRASES: readonly PhraseRow[] = [
  {
    language: "English",
    phrases: {
      [RULE]:
        "never|always|must|mustn't|do not|don't|should not|shouldn't|shall not|only use|only edit|only change|only run|only if|only when|under no circumstances|make sure|without asking|without my|without approval|without permission|not allowed|forbidden|prohibited|ask me before|ask before|confirm before",
      [DECISION]:
        "decided|decision|chose|chosen|opted|instead of|rather than|going with|go with|i'll use|i'll keep|i'll implement|i'll replace|i'll switch|i'll go|i will use|i will keep|i will implement|i will replace|i will switch|let's use|let's keep|we will use|we should use|the best approach|the right approach|the best fix|the right fix|the cleanest|the simplest|switched to|switching to",
      [FINDING]:
        "root cause|turns out|the problem is|the problem was|the issue is|the issue was|the bug is|the bug was|the real issue|the real problem|the actual issue|the culprit|the bottleneck|the reason is|caused by|confirmed|confirms|discovered|found that|found the|key insight",
      [PREFERENCE]:
        "prefer|prefers|i use|we use|i like|i am|i'm a|i have|my name|my email|my budget|our budget|the budget|budget is|budget of|deadline is|the deadline|our deadline|my deadline|my user|my id|my order|my reservation|my account|my phone|my address|our team|our company|call me|lives in|i live",
      [COMPLETION]:
        "done|complete|completed|implemented|fixed|added|created|updated|removed|deleted|committed|pushed|merged|released|published|resolved|finished|renamed|refactored|works now|working now|tests pass|all pass|ready|here's|here is|here are|the answer is|successfully",
      [SETBACK]:
        "couldn't|could not|unable to|not able to|wasn't able to|didn't manage to|did not manage to|failed to|still fails|still failing|still broken|still not|still doesn't|still the same|still see|still get|still wrong|still looks|not yet|not done|not fixed|not complete|is blocked|are blocked|was blocked|were blocked|am blocked|i'm blocked|still blocked|got blocked|blocked by|blocked on|i'm not allowed|i am not allowed|i don't have permission|i do not have permission|i don't have access|i do not have access",
      [COMPLAINT]:
        "i don't understand|wrong file|wrong place|wrong folder|isn't where|isnt where|isn't … accurate|isnt … accurate|no, not that|not that one|i meant|actually, it's|actually it's|no, it's|nope, wrong|that's the wrong|the same thing as before|that is not what|not what i|not working|doesn't work|does not work|didn't work|that's wrong|that's not|incorrect|you forgot|you missed|you broke|interrupted|same error|same problem|same issue|try again|no luck|nothing changed|makes no difference|still crashes|still throws|still shows|still happens|still happening|still getting|still having|still seeing|fails again|broken again|happens again",
      [CANCELLATION]:
        "never mind|nevermind|forget it|forget that|forget about|cancel that|cancel this|no longer needed|no longer necessary|not needed anymore|scrap that|drop that|drop it|changed my mind",
      [REVERSAL]:
        "revert that|revert this|revert it|revert your changes|undo that|undo this|undo it|roll that back|roll it back|take that back|put it back",
      [UNDONE]:
        "i undid|i've undone|i have undone|i reverted|i've reverted|i have reverted|i rolled|i've rolled|i have rolled|i discarded|i've discarded|i have discarded|i had to revert|i had to undo|i had to roll|i threw away|i threw your|i backed out",
    },
  },
  {
    language: "German",
    phrases: {
      [RULE]:
        "niemals|nie|immer|darf nicht|dürfen nicht|darfst nicht|muss|müssen|musst|auf keinen fall|keinesfalls|nicht ohne|ausschließlich|stets|verboten",
      [DECISION]:
        "entschieden|entscheidung|stattdessen|anstatt|ich verwende|ich nehme|ich nutze|ich ersetze|wir verwenden|wir nehmen|wir nutzen",
      [FINDING]:
        "ursache|liegt daran|es stellt sich heraus|das problem ist|das problem war|der fehler ist|der fehler war",
      [PREFERENCE]:
        "ich bevorzuge|ich nutze|ich habe|ich bin|mein name|mein budget|meine frist|wir nutzen|wir haben|unser team",
      [COMPLETION]:
        "erledigt|fertig|behoben|umgesetzt|hinzugefügt|abgeschlossen|aktualisiert|erstellt|gelöscht|eingebaut|implementiert|ergänzt|angelegt|entfernt|korrigiert|repariert|umbenannt|veröffentlicht|läuft jetzt|funktioniert jetzt",
      [SETBACK]:
        "konnte nicht|konnte … nicht|konnten … nicht|noch nicht|funktioniert nicht|funktioniert … nicht|geht nicht|klappt nicht|nicht gelungen|gelang … nicht|nicht geschafft|gescheitert|war nicht möglich|schlägt … fehl|immer noch kaputt|immer noch … kaputt",
      [COMPLAINT]:
        "verstehe ich nicht|ich verstehe nicht|nein, nicht das|nein, nicht so|nein, es ist|eigentlich ist es|war der falsche|war die falsche|war das falsche|ist der falsche|ist die falsche|ist das falsche|ich meinte|nicht, was ich|nicht das, was ich|stimmt nicht|immer noch|falsch|derselbe fehler|der gleiche fehler",
      [CANCELLATION]:
        "vergiss es|vergiss das|doch nicht|nicht mehr nötig|brich ab|lass es sein|lass das sein|lass gut sein|brauchen wir nicht mehr|anders überlegt|brauche ich nicht mehr|hat sich erledigt",
      [REVERSAL]: "mach das rückgängig|mach es rückgängig|rückgängig machen|nimm das zurück|nimm es zurück",
      [UNDONE]:
        "ich habe … zurückgesetzt|ich habe … rückgängig|ich habe … zurückgenommen|ich habe … verworfen|hab … zurückgesetzt|hab … rückgängig",
    },
  },
  {
    language: "French",
    phrases: {
      [RULE]:
        "jamais|toujours|il faut|ne pas|doit|doivent|dois|interdit|uniquement|sans mon accord|n'utilise pas|ne touche pas|ne modifie pas|ne supprime pas",
      [DECISION]: "décidé|décision|choisi|plutôt que|au lieu de|j'utilise|je vais utiliser|nous utilisons",
      [FINDING]: "la cause|il s'avère|le problème est|le problème était|l'erreur est",
      [PREFERENCE]: "je préfère|je suis|j'ai|mon nom|mon budget|nous utilisons|notre équipe",
      [COMPLETION]:
        "terminé|terminée|corrigé|corrigée|ajouté|ajoutée|mis à jour|mise à jour|créé|créée|supprimé|supprimée|résolu|résolue|implémenté|implémentée|en place|publié|fusionné|c'est fait",
      [SETBACK]:
        "n'ai pas pu|n'a pas pu|n'ai pas réussi|n'ai pas été|n'arrive pas|m'a été impossible|toujours pas|pas encore|ne marche pas|ne fonctionne pas|a échoué|toujours cassé|toujours cassée",
      [COMPLAINT]:
        "je ne comprends pas|pas ça|pas le bon|pas la bonne|en fait, c'est|en fait c'est|je voulais dire|je parlais|pas ce que j'ai|pas ce que je|c'est faux|incorrect|même erreur|même problème",
      [CANCELLATION]:
        "laisse tomber|oublie ça|oubliez ça|annule ça|plus besoin|plus la peine|plus nécessaire|changé d'avis",
      [REVERSAL]: "reviens en arrière|défais ça|annule ces changements|remets comme avant",
      [UNDONE]: "j'ai annulé|j'ai défait|j'ai remis|je suis revenu|je suis revenue",
    },
  },
  {
    language: "Spanish",
    phrases: {
      [RULE]:
        "nunca|jamás|siempre|no debe|no debes|debe|debes|deben|tiene que|hay que|prohibido|solamente|sin mi permiso|no uses|no toques|no borres|no cambies",
      [DECISION]: "decidido|decisión|elegí|elegido|en lugar de|en vez de|voy a usar|usaremos",
      [FINDING]: "la causa|resulta que|el problema es|el problema era|el error es",
      [PREFERENCE]: "prefiero|tengo|soy|mi nombre|mi presupuesto|usamos|nuestro equipo",
      [COMPLETION]:
        "listo|lista|hecho|hecha|corregido|corregida|añadido|añadida|actualizado|actualizada|creado|creada|eliminado|eliminada|resuelto|resuelta|terminado|completado|implementado|implementada|arreglado|arreglada|publicado",
      [SETBACK]:
        "no pude|no he podido|no se pudo|no logré|no he logrado|no conseguí|no he conseguido|no fue posible|no ha sido posible|todavía no|aún no|no funciona|sigue sin|sigue fallando|sigue roto|sigue rota",
      [COMPLAINT]:
        "no entiendo|no lo entiendo|no, eso no|ese no es|esa no es|eso no es|en realidad es|me refería|quería decir|no es lo que|está mal|mismo error|mismo problema|incorrecto|sigue igual|todavía veo|todavía sigue|todavía falla|todavía aparece|todabía veo|todabía sigue|pasa lo mismo|sigue pasando",
      [CANCELLATION]:
        "olvídalo|olvida eso|cancela eso|ya no hace falta|ya no es necesario|ya no lo necesito|ya no lo necesitamos|déjalo estar|cambié de idea|cambiado de idea",
      [REVERSAL]: "deshazlo|deshaz eso|revierte eso|reviértelo|déjalo como estaba",
      [UNDONE]: "he deshecho|deshice|he revertido|revertí|he descartado",
    },
  },
  {
    language: "Chinese",
    phrases: {
      [RULE]: "不要|不能|不得|禁止|必须|务必|绝不|切勿|始终|总是|只能|不许",
      [DECISION]: "决定|采用|改用|选择|而不是|改为",
      [FINDING]: "原因是|问题是|问题在于|发现",
      [PREFERENCE]: "我喜欢|我是|我叫|我的名字|预算|我们用|我们使用",
      [COMPLETION]:
        "完成了|已完成|已经完成|完成。|完成！|全部完成|已修复|修复了|搞定|好了|已添加|添加了|已更新|更新了|已创建|已删除|已经实现|解决了",
      [SETBACK]: "无法|还没|仍然|没能|未能|没法|不能用|还是坏|还是失败|失败了|没有成功",
      [COMPLAINT]:
        "不明白|没看懂|不行|不对|还是不|其实是|不是这个|不是那个|我指的是|我说的是|不是我要的|错了|同样的错误",
      [CANCELLATION]: "算了|取消吧|取消这个|不用了|不需要了|不需要它了|不做了|不用做",
      [REVERSAL]: "撤销|回滚|改回去|恢复原样",
      [UNDONE]: "撤回了|回滚了|撤销了|还原了|改回去了",
    },
  },
  {
    language: "Portuguese",
    phrases: {
      [RULE]:
        "nunca|jamais|sempre|não deve|não devem|deve|devem|tem que|proibido|somente|sem minha permissão|não use|não mexa|não apague|não altere",
      [DECISION]: "decidi|decidido|decisão|escolhi|escolhido|em vez de|ao invés de|vou usar|vamos usar",
      [FINDING]: "a causa|acontece que|o problema é|o problema era|o erro é|o erro era|descobri",
      [PREFERENCE]: "prefiro|meu nome|meu orçamento|nós usamos|nossa equipe|nosso time",
      [COMPLETION]:
        "pronto|pronta|feito|feita|concluído|concluída|implementado|implementada|adicionei|adicionado|adicionada|corrigi|corrigido|corrigida|atualizado|atualizada|criei|criado|criada|removido|removida|resolvido|resolvida|terminado|publicado",
      [SETBACK]:
        "não consegui|não pude|não foi possível|não deu certo|ainda não|não funciona|não funcionou|continua sem|continua falhando|continua quebrado|continua quebrada|falhou",
      [COMPLAINT]:
        "não entendi|não entendo|não estou entendendo|não tô entendendo|nao entendi|nao entendo|nao to entendendo|nao estou entendendo|não, isso não|esse não é|essa não é|na verdade é|na verdade, é|quis dizer|me referia|não foi isso|não é isso|não é o que|está errado|errado|incorreto|mesmo erro|mesmo problema",
      [CANCELLATION]:
        "deixa pra lá|deixe pra lá|deixa para lá|esquece isso|esqueça isso|cancela isso|não precisa mais|não preciso mais|não precisamos mais|não é mais necessário|mudei de ideia",
      [REVERSAL]: "desfaça isso|desfaz isso|reverta isso|reverte isso|deixa como estava|volta como estava",
      [UNDONE]: "desfiz|reverti|eu desfiz|descartei",
    },
  },
  {
    language: "Russian",
    phrases: {
      [RULE]:
        "никогда|всегда|нельзя|не должен|не должна|не должны|должен|должна|должны|обязательно|запрещено|ни в коем случае|без моего разрешения",
      [DECISION]: "решил|решила|решили|решение|выбрал|выбрала|вместо того|буду использовать|будем использовать",
      [FINDING]: "причина|оказалось|проблема в|проблема была|ошибка в|дело в том",
      [PREFERENCE]: "предпочитаю|меня зовут|мой бюджет|мы используем|наша команда",
      [COMPLETION]:
        "готово|готова|готов|сделано|исправлено|исправил|исправила|добавил|добавила|добавлено|добавлена|реализовал|реализовано|реализована|реализован|обновил|обновлено|создал|создано|удалил|удалено|завершено|решено|закончил|опубликовано",
      [SETBACK]:
        "не удалось|не смог|не смогла|не получилось|не получается|не вышло|всё ещё не|все ещё не|все еще не|всё еще не|до сих пор не|по-прежнему не|ещё не|еще не|не работает|всё ещё … сломано|всё ещё сломано|все еще сломано",
      [COMPLAINT]:
        "не понимаю|не понял|не поняла|нет, не это|не это|это не та|это не тот|на самом деле это|я имел в виду|я имела в виду|это не то|не то, что|неправильно|неверно|та же ошибка|та же проблема|ты забыл|снова падает",
      [CANCELLATION]:
        "забудь об этом|забудь про это|отмени это|уже не нужно|не нужно уже|больше не нужно|уже не надо|передумал|передумала",
      [REVERSAL]: "откати это|откати изменения|верни как было|верни обратно|отмени изменения",
      [UNDONE]: "откатил|откатила|я отменил|я отменила",
    },
  },
  {
    language: "Japanese",
    phrases: {
      [RULE]: "必ず|絶対に|常に|してはいけ|しないでください|禁止",
      [DECISION]: "決めました|にしました|代わりに|採用しました|選びました",
      [FINDING]: "原因は|問題は|判明しました|わかりました",
      [PREFERENCE]: "好みは|私の名前|予算は|使っています",
      [COMPLETION]:
        "完了しました|完了です|実装しました|追加しました|修正しました|更新しました|作成しました|削除しました|解決しました|対応しました|変更しました|公開しました|できました",
      [SETBACK]:
        "できませんでした|できなかった|まだ動|まだ壊れ|まだできて|動きません|動作しません|失敗しました|うまくいきません|うまくいかな",
      [COMPLAINT]:
        "わかりません|分かりません|それではなく|それではありません|それじゃな|違います|間違って|直っていません|直ってない|同じエラー|同じ問題",
      [CANCELLATION]:
        "それは忘れて|やっぱりいいです|やっぱりやめ|もう不要です|もういらない|もう必要ありません|もう必要ない|中止して|もういいです",
      [REVERSAL]: "元に戻して|戻してください",
      [UNDONE]: "取り消しました|元に戻しました|戻しました|ロールバックしました",
    },
  },
  {
    language: "Korean",
    phrases: {
      [RULE]: "절대|항상|반드시|금지|하지 마세요|하면 안",
      [DECISION]: "하기로 했|하기로 결정|선택했|결정했|대신에",
      [FINDING]: "원인은|원인이|문제는|알고 보니|밝혀졌|확인됐",
      [PREFERENCE]: "선호|제 이름은|예산은|우리 팀은|저희 팀은|사용하고 있",
      [COMPLETION]:
        "완료했|완료됐|완료되었|완료입니다|구현했|추가했|수정했|고쳤|끝냈|끝났|작성했|만들었|생성했|업데이트했|삭제했|제거했|해결했|해결됐|해결되었|변경했|배포했|커밋했|마쳤",
      [SETBACK]:
        "못했|못 했|수 없었|실패했|아직 동작하지|아직 작동하지|아직 안|여전히 안|여전히 실패|여전히 깨|동작하지 않|작동하지 않",
      [COMPLAINT]:
        "이해가 안|이해가 되지|그게 아니|그게 아니라|말한 거|말이에요|틀렸|잘못됐|잘못되었|같은 오류|같은 에러|같은 문제|부탁한 게 아니|원한 게 아니|또 실패",
      [CANCELLATION]: "그건 잊어|필요 없어졌|이제 필요 없|더 이상 필요 없|필요 없어요|마음이 바뀌|생각이 바뀌",
      [REVERSAL]: "되돌려 주|되돌려줘|원래대로 돌려|롤백해",
      [UNDONE]: "되돌렸|롤백했|원래대로 돌려놨",
    },
  },
  {
    language: "Arabic",
    phrases: {
      [RULE]: "لا يجوز|ممنوع|دائما|دائمًا|أبدا|أبدًا|يجب",
      [DECISION]: "قررت|قررنا|اخترت|اخترنا|بدلا من|بدلاً من|بدلًا من|سأستخدم|سنستخدم",
      [FINDING]: "السبب|المشكلة أن|المشكلة كانت|تبين|تبيّن|اتضح|اتّضح|اكتشفت",
      [PREFERENCE]: "أفضّل|اسمي|ميزانيتي|ميزانيتنا|فريقنا|نستخدم",
      [COMPLETION]:
        "تم|تمّ|تمت|تمّت|أضفت|أصلحت|أنشأت|حدثت|حدّثت|حذفت|أكملت|اكتمل|اكتملت|انتهيت|أنهيت|نفذت|نفّذت|عدلت|عدّلت|أزلت|نشرت|جاهز|جاهزة",
      [SETBACK]:
        "لم أتمكن|لم أتمكّن|لم أستطع|لم أنجح|تعذر|تعذّر|فشلت|فشل|لا يعمل|لا تعمل|لم يعمل|لم تعمل|لم ينجح|لم تنجح|لم يكتمل",
      [COMPLAINT]:
        "لا أفهم|لم أفهم|ليس هذا|ليس ذلك|ليست هذه|قصدت|كنت أقصد|هذا خطأ|نفس الخطأ|نفس المشكلة|ما زال|ما زالت|لا يزال|لا تزال|لم يتغير شيء|غير صحيح",
      [CANCELLATION]:
        "انس الأمر|انسَ الأمر|لا داعي|لم نعد نحتاج|لم نعد نحتاجه|لم نعد نحتاجها|لم نعد بحاجة|لم أعد بحاجة|غيرت رأيي|غيّرت رأيي",
      [REVERSAL]: "تراجع عن|أعدها كما كانت|أعده كما كان|ألغ التغييرات|ألغِ التغييرات",
      [UNDONE]: "تراجعت عن|ألغيت التغييرات",
    },
  },
];

/** Phrases that ask the agent to continue with its work. */
const GO_ON = [
  "go|go ahead|go on|go for it|continue|carry on|proceed|please|please do|do it|do that|do so|next",
  "weiter|mach weiter|mach das|mach es|mach|leg los|bitte|continuez?|vas-y|allez-y|fais-le|s['’]il (?:te|vous) pla[iî]t",
  "sigue|continúa|adelante|hazlo|por favor|pode (?:fazer|seguir|continuar)|faça isso|faz isso|prossiga|vá em frente",
  "давай|делай|продолжай|пожалуйста|вперёд|вперед|继续吧?|做吧|开始吧|就这么办|就这样做?|请",
  "your call|up to you|entscheide du|comme tu veux|como veas|ya|lanjut(?:kan)?|tak|kontynuuj|ano|jo|pokračuj(?:me)?|va bene|procedi|devam",
  "お任せします|任せます|你决定|看着办|お願いします|お願い|進めてください|続けてください|やってください|進めて|続けて|どうぞ",
  "계속(?:해|하세요|해 ?주세요|해줘)?|진행(?:해|하세요|해 ?주세요|해줘)?|그렇게 ?해(?: ?주세요| ?줘)?|부탁(?:해요|드려요|드립니다|합니다)|시작해(?: ?주세요| ?줘)?|تابع|استمر|أكمل|تفضل|افعل ذلك|نفّ?ذ|من فضلك|لو سمحت|هيا",
].join("|");
const YES = [
  "yes|yep|yup|yeah|ok|okay|k|sure|right|exactly|correct|alright|all right|sounds good|that['’]s fine|fine",
  "ja|jo|klar|gerne|genau|einverstanden|in ordnung|alles klar|klingt gut|oui|ouais|d['’]accord|bien sûr|ça me va|exactement",
  "sí|si|claro|vale|exacto|de acuerdo|me parece bien|sim|certo|isso|beleza|tá bom|parece bom",
  "да|ага|конечно|хорошо|ладно|согласен|согласна|верно|именно|звучит хорошо|ок",
  "是|是的|好|好的|可以|对|行|没问题|同意|嗯|はい|ええ|うん|いいですね|了解です|了解しました|了解|もちろん",
  "네|넵|예|응|그래요?|좋아요?|알겠어요|알겠습니다|물론(?:이죠|이에요|입니다)?|당연하죠|맞아요?|맞습니다|نعم|أجل|حسن(?:ا|ًا|اً)|موافق|طبع(?:ا|ًا|اً)|بالطبع|بالتأكيد|أكيد|صحيح|تمام|طيب|بالضبط",
].join("|");
const NO = "no|nope|nein|non|não|нет|不|いいえ|아니요?|아뇨|لا|كلا";
const PRAISE = [
  "yo|wow|whoa|omg|damn|jesus|haha|lol|holy (?:shit|crap|cow|moly)|everything works|it all works|you rock|nice one|sweet|lovely|neat|beautiful|an? (?:genius|hero|legend|monster|star|wizard|beast|lifesaver)",
  "hi|hello|hey|there|good (?:morning|afternoon|evening)|hallo|moin|guten (?:tag|morgen|abend)|bonjour|salut|hola|buenos días|olá|oi|привет|здравствуйте|你好|您好|こんにちは",
  "thanks again|thank you again|exactly what i (?:needed|wanted)|das war['’]s|passt so|tal cual|era isso|(?:excelente|gran) trabajo|i like (?:it|that)|top|c['’]est ça|eso es|isso mesmo|todo bien|tudo (?:certo|bem)|dale|всё верно|все верно|так и надо",
  "就是这样|这样就好|就这样|很好用|(?:その|まさにその)(?:通り|とおり)(?:です)?|これで大丈夫です|問題ありません|バッチリ(?:です)?",
  "thanks?|thank you|thx|ty|cheers|a lot|so much|very much|great|good|nice|perfect|cool|awesome|super|excellent|brilliant|amazing|fantastic|wonderful|lgtm|looks good|looks great|to me|love it|that works|it works|works now|works|like a charm|works great|that['’]s (?:perfect|great|good|it|better)|much better|well done|nice work|good job|great job|got it|done",
  "danke|danke dir|danke schön|dankeschön|vielen dank|besten dank|herzlichen dank|gut|sehr gut|klasse|toll|prima|perfekt|passt|passt perfekt|sieht gut aus|funktioniert|läuft|spitze|wunderbar|gut gemacht|viel besser",
  "merci|beaucoup|merci (?:beaucoup|bien)|mille mercis|parfait|c['’]est (?:parfait|bon|super|top)|génial|nickel|impeccable|formidable|ça marche|très bien|bien joué|bravo",
  "gracias|(?:muchas|mil) gracias|genial|perfecto|está perfecto|estupendo|excelente|fantástico|funciona|ya funciona|muy bien|bien hecho|buen trabajo|mucho mejor",
  "obrigad[oa]|muito obrigad[oa]|valeu|ótimo|perfeito|ficou (?:perfeito|ótimo|bom)|show|legal|maravilha|funcionou|muito bom|muito bem|bom trabalho",
  "спасибо|большое спасибо|огромное спасибо|благодарю|отлично|супер|класс|здорово|прекрасно|идеально|замечательно|круто|работает|всё работает|то что надо|то, что надо|молодец",
  "谢谢你?|多谢|感谢你?|太好了|很好|非常好|太棒了|很棒|真棒|完美|不错|可以用了|好用|辛苦了",
  "(?:どうも)?ありがとう(?:ございま(?:す|した))?|どうも|助かりま(?:す|した)|完璧(?:です)?|素晴らしい(?:です)?|すごい(?:です)?|最高(?:です)?|いい感じです|動きました|うまくいきました|お疲れ様(?:です|でした)",
  "감사(?:합니다|해요|드려요|드립니다)|고마워요?|고맙습니다|완벽(?:해요|합니다|하네요)|훌륭(?:해요|합니다|하네요)|최고(?:예요|네요|입니다)|좋(?:습니다|네요)|멋(?:져요|지네요)|잘 ?(?:돼요|됩니다|되네요|작동해요|작동합니다|했어요)|수고(?:했어요|하셨습니다|하셨어요)|안녕하세요|됐어요|괜찮아요",
  "شكر(?:ا|ًا|اً)|جزيل(?:ا|ًا|اً)|ممتاز|رائع|جميل|مثالي|أحسنت|عظيم|يعمل(?: الآن)?|مرحب(?:ا|ًا|اً)|السلام عليكم|أهل(?:ا|ًا|اً)|عمل رائع",
].join("|");
/** Words that may occur next to these in an acknowledgement, and ask for nothing. */
const BESIDE = [
  "really|very|indeed|absolutely|that(?:['’]s)?|this|it(?:['’]s)?|is|was|are|all|so|for|the|a|my|you(?:['’]re)?|your|i(?:['’]m)?|we|of|and|now|too|looks|look|seems|sounds|as expected|help|happy|mate|man|dude|guys|buddy",
  "sehr|echt|wirklich|das|ist|es|alles|für|die|deine|hilfe|dir|sieht|aus|jetzt|ganz|schon|mir|nun|und|ich|bin|zufrieden|wie|gewünscht|erwartet|gefällt",
  "très|vraiment|c['’]est|ça|est|tout|pour|ton|votre|l['’]aide|aide|on|fonctionne|marche|va|bien|et|comme|prévu|maintenant",
  "muy|eso|es|está|todo|por|la|ayuda|tu|así|ya|y|mismo|me|gusta|muito|isso|é|tá|tudo|pela|ajuda|sua|mesmo|assim|e|já|gostei",
  "очень|всё|все|так|это|за|помощь|и|уже|теперь|мне|нравится|как надо",
  "非常|十分|真的|很|的|了|就|这样|你的帮助|とても|本当に|です|ね|よ|これで|も",
  "이제|정말|너무|아주|진짜|다|이거|이걸로|도와줘서|도와주셔서|جد(?:ا|ًا|اً)|هذا|هذه|لك|لكم|على|المساعدة|مساعدتك|كل|شيء|الآن|هكذا|تمام(?:ا|ًا|اً)|كثير(?:ا|ًا|اً)",
].join("|");
/** A message that consists only of these withdraws a request. Within a sentence they may mean something else. */
const TAKEN_BACK = [
  "never ?mind|nvm|forget (?:it|that)|cancel|vergiss (?:es|das)|lass (?:es|das)|egal|abbrechen",
  "laisse(?: tomber)?|oublie(?: ça)?|annule|non rien|olvídalo|olvídate|déjalo|cancela|da igual|esquece(?: isso)?|deixa(?: pra lá)?",
  "забудь(?:те)?|забей|не надо|не нужно|отмена|неважно|算了吧?|取消|不用了|不用|やっぱりいいです|もういいです|忘れてください|キャンセルで?",
  "취소(?:해 ?주세요|해줘|할게요)?|됐어요?|아니에요|필요 ?없어(?:요|졌어요)?|괜찮아요|انسَ? (?:الأمر|ذلك)|إلغاء|ألغِ? ذلك|لا داعي(?: لذلك)?|لا يهم|غيّ?رت رأيي",
].join("|");

const UNSPACED = "[\\u3040-\\u30ff\\u4e00-\\u9fff]";
const SEPARATOR = `(?:[\\s.,!¡…、。，！〜~،؛\\p{Extended_Pictographic}\\ufe0f]+|$|(?<=${UNSPACED}))`;
const only = (words: string, times: string): RegExp =>
  new RegExp(`^[¡\\s]*(?:(?:${words})${SEPARATOR})${times}$`, "iu");
/** The longest acknowledgement or withdrawal, in UTF-16 code units; longer messages say more. */
const LONGEST_SAYING = 60;
const ACKNOWLEDGEMENT = only(`${GO_ON}|${YES}|${NO}|${PRAISE}|${BESIDE}`, "{1,9}");
const ASKS_TO_GO_ON = only(`${YES}|${GO_ON}|${BESIDE}`, "{1,9}");
const SAYS_YES = only(`${YES}|${BESIDE}`, "{1,9}");
const among = (words: string): RegExp =>
  new RegExp(`(?:(?<!\\p{L})|(?<=${UNSPACED}))(?:${words})(?:${SEPARATOR})`, "iu");
const ACKNOWLEDGES = among(`${GO_ON}|${YES}|${NO}|${PRAISE}`);
const TAKES_BACK = only(`(?:(?:ach|ok|okay|actually|hm+),?\\s+)?(?:${TAKEN_BACK})`, "{1,3}");

/** Checks whether a user's message asks for nothing new: a thank-you, a yes, a bare slash command. */
export function isAcknowledgement(text: string): boolean {
  const message = text.trim();
  if (message.length > LONGEST_SAYING) return false;
  if (!/[\p{L}\p{N}]/u.test(message) || isSlashCommand(message)) return true;
  return ACKNOWLEDGES.test(message) && ACKNOWLEDGEMENT.test(message);
}

/** Checks whether a user's message only withdraws a request. */
export const isTakenBack = (text: string): boolean => text.length <= LONGEST_SAYING && TAKES_BACK.test(text.trim());

/** Openings of a message that sets right what the agent was about to do, in place of asking for something else. */
const CORRECTION = [
  "no|not|nope|but|wait|stop|hold on|i mean|i meant|instead|rather",
  "nein|nicht|aber|warte|stopp|halt|ich meine|ich meinte|sondern|non|pas|mais|attends|attendez|je veux dire",
  "pero|espera|me refiero|me refería|mejor|não|mas|espere|quero dizer|нет|не|но|подожди|стой|я имею в виду",
  "아니|아니요|아뇨|잠깐|잠깐만|그게 아니라|لا|لكن|انتظر|توقف|أقصد|قصدت|بل",
].join("|");
const CORRECTS = new RegExp(
  `^[^\\p{L}]{0,4}(?:(?:${CORRECTION})(?![\\p{L}'’])|(?:不|但|等等|别|我是说|我指的是|いや|いいえ|でも|待って|違い|違う|じゃなくて))`,
  "iu",
);

/** Checks whether a message sets right what the agent was about to do. */
export const corrects = (text: string): boolean => CORRECTS.test(text);

/** Openings of a message that tells the agent to go on with the same work, whatever else it says. */
const GOES_ON =
  /^\s*(?:(?:ok(?:ay)?|yes|great|good)[,.!]?\s+)?(?:please\s+|bitte\s+|por favor,?\s+|пожалуйста,?\s+|请)?(?:(?:continue|continuez|carry on|go on|keep going|proceed|resume|mach weiter|weiter mit|fahre? fort|sigue|continúa|prossiga|продолжай|продолжи|تابع|استمر|أكمل)(?!\p{L})|继续|続けて|계속)/iu;

/** Checks whether a message tells the agent to go on with the same work. */
export const goesOn = (text: string): boolean => GOES_ON.test(text);

/** How far into a message an error report is looked for, in UTF-16 code units. */
const MOST_READ_OF_REPORT = 400;
/** The beginning of a line that a tool prints when it fails. */
const TROUBLE =
  /^[ \t>]*(?:npm ERR!|Traceback \(|(?:[A-Za-z]\w{0,60}\.){0,6}\w{0,60}(?:Error|Exception)\b|(?:error|fatal|panic)(?:\[\w{1,12}\])?[:!]|error TS\d|FAIL(?:ED)?\b|\w{1,20} ERR!)/im;

/** Checks whether a message begins with what a tool printed when it failed. */
export const reportsTrouble = (text: string): boolean => TROUBLE.test(text.slice(0, MOST_READ_OF_REPORT));

/** Checks whether a message is a command to the harness, which says nothing to the agent. */
export const isSlashCommand = (text: string): boolean => /^\/[\w:-]*$/.test(text.trim());

/** Checks whether an acknowledgement asks the agent to continue; a mere yes does so only if the agent had asked. */
export function asksToGoOn(text: string, hadAsked: boolean): boolean {
  const message = text.trim();
  return ACKNOWLEDGES.test(message) && ASKS_TO_GO_ON.test(message) && (hadAsked || !SAYS_YES.test(message));
}
