/** What a sentence does. Bits, because one sentence may do several of these. */
export const RULE = 1;
export const DECISION = 2;
export const FINDING = 4;
export const PREFERENCE = 8;
export const COMPLETION = 16;
export const SETBACK = 32;
export const CANCELLATION = 64;
/** What a user says about work that is wrong. From an agent, the same words describe what it fixed. */
export const COMPLAINT = 128;
/** A request to undo what was done before. */
export const REVERSAL = 256;

/** The phrases of one language that tell what a sentence does, in lower case, separated by `|`. */
interface PhraseRow {
  readonly language: string;
  readonly phrases: Readonly<Record<number, string>>;
}

/** One language is one row. To add a language, add its row. */
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
        "prefer|prefers|i use|we use|i like|i am|i'm a|i have|my name|my email|my budget|budget|deadline|my user|my id|my order|my reservation|my account|my phone|my address|our team|our company|call me|lives in|i live",
      [COMPLETION]:
        "done|complete|completed|implemented|fixed|added|created|updated|removed|deleted|committed|pushed|merged|released|published|resolved|finished|renamed|refactored|works now|working now|tests pass|all pass|ready|here's|here is|here are|the answer is|successfully",
      [SETBACK]:
        "couldn't|could not|unable to|failed to|still fails|still failing|still broken|still not|still doesn't|still the same|still see|still get|still wrong|still looks|not yet|not done|not fixed|not complete|blocked",
      [COMPLAINT]:
        "not working|doesn't work|does not work|didn't work|that's wrong|that's not|incorrect|you forgot|you missed|you broke|interrupted|same error|same problem|same issue",
      [CANCELLATION]:
        "never mind|nevermind|forget it|forget that|forget about|cancel that|cancel this|no longer needed|not needed anymore|scrap that|drop that|drop it",
      [REVERSAL]:
        "revert that|revert this|revert it|revert your changes|undo that|undo this|undo it|roll that back|roll it back|take that back|put it back",
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
      [COMPLETION]: "erledigt|fertig|behoben|umgesetzt|hinzugefügt|abgeschlossen|aktualisiert|erstellt|gelöscht",
      [SETBACK]: "konnte nicht|noch nicht|funktioniert nicht|geht nicht",
      [COMPLAINT]: "immer noch|falsch",
      [CANCELLATION]: "vergiss es|vergiss das|doch nicht|nicht mehr nötig|brich ab",
      [REVERSAL]: "mach das rückgängig|mach es rückgängig|rückgängig machen|nimm das zurück|nimm es zurück",
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
      [COMPLETION]: "terminé|corrigé|ajouté|mis à jour|créé|supprimé|résolu|c'est fait",
      [SETBACK]: "n'ai pas pu|toujours pas|pas encore|ne marche pas|ne fonctionne pas",
      [COMPLAINT]: "incorrect",
      [CANCELLATION]: "laisse tomber|oublie ça|annule ça|plus besoin",
      [REVERSAL]: "reviens en arrière|défais ça|annule ces changements|remets comme avant",
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
      [COMPLETION]: "listo|hecho|corregido|añadido|actualizado|creado|eliminado|resuelto|terminado|completado",
      [SETBACK]: "no pude|todavía no|aún no|no funciona",
      [COMPLAINT]: "incorrecto|sigue igual",
      [CANCELLATION]: "olvídalo|olvida eso|cancela eso|ya no hace falta|ya no es necesario",
      [REVERSAL]: "deshazlo|deshaz eso|revierte eso|reviértelo|déjalo como estaba",
    },
  },
  {
    language: "Chinese",
    phrases: {
      [RULE]: "不要|不能|不得|禁止|必须|务必|绝不|切勿|始终|总是|只能|不许",
      [DECISION]: "决定|采用|改用|选择|而不是|改为",
      [FINDING]: "原因是|问题是|问题在于|发现",
      [PREFERENCE]: "我喜欢|我是|我叫|我的名字|预算|我们用|我们使用",
      [COMPLETION]: "完成|已修复|搞定|好了|已添加|已更新|已创建|已删除|解决了",
      [SETBACK]: "无法|还没|仍然",
      [COMPLAINT]: "不行|不对|还是不",
      [CANCELLATION]: "算了|取消|不用了|不需要了",
      [REVERSAL]: "撤销|回滚|改回去|恢复原样",
    },
  },
];

/** What asks the agent to go on with what it is at. */
const GO_ON =
  "go|go ahead|go on|continue|proceed|please|do it|next|weiter|mach weiter|bitte|continuez?|sigue|continúa|继续";
const YES =
  "yes|yep|yeah|ok|okay|k|sure|right|exactly|correct|alright|all right|sounds good|ja|oui|d['’]accord|sí|si|vale|是|是的|好|好的|可以|对";
const NO = "no|nope|nein|non|不";
const PRAISE =
  "thanks?|thank you|thx|a lot|so much|very much|great|good|nice|perfect|cool|awesome|super|excellent|brilliant|lgtm|looks good|to me|that works|it works|works now|works|well done|nice work|good job|great job|got it|danke|gut|merci|parfait|gracias|perfecto|谢谢";

const only = (words: string, times: string): RegExp =>
  new RegExp(`^(?:(?:${words})(?:[\\s.,!。，！]+|$))${times}$`, "iu");
const ACKNOWLEDGEMENT = only(`${GO_ON}|${YES}|${NO}|${PRAISE}`, "{1,5}");
const ASKS_TO_GO_ON = only(`${YES}|${GO_ON}`, "{1,5}");
const SAYS_YES = only(YES, "{1,5}");

/** True for a user's message that asks for nothing new: a thank-you, a yes, a bare slash command. */
export function isAcknowledgement(text: string): boolean {
  const message = text.trim();
  if (message.length > 60) return false;
  return !/[\p{L}\p{N}]/u.test(message) || isSlashCommand(message) || ACKNOWLEDGEMENT.test(message);
}

/** True for a command to the harness, which says nothing to the agent. */
export const isSlashCommand = (text: string): boolean => /^\/[\w:-]*$/.test(text.trim());

/** True for an acknowledgement that has the agent go on: always when it says so, and a mere yes when the agent had asked. */
export function asksToGoOn(text: string, hadAsked: boolean): boolean {
  const message = text.trim();
  return ASKS_TO_GO_ON.test(message) && (hadAsked || !SAYS_YES.test(message));
}
