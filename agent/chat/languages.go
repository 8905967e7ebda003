package chat

import (
	"slices"
	"strings"
	"sync"
)

// phrases are phrases of other languages that agree or say to continue, by language. A message
// that consists only of phrases of one language says to continue. There is no grammar for them:
// any other message goes to the model.
var phrases = map[string]string{
	"de": `ja, ja gern, gern, gerne, bitte, gut, sehr gut, okay, ok, einverstanden, passt, passt so, passt mir, sieht gut aus, in ordnung, alles klar, perfekt, super, klingt gut, danke, genau, klar, dann, jetzt,
		mach das, mach es, mach das so, mach es so, mach mal, leg los, dann los, los, nur zu, tu das, tu es, so machen, machen wir so, anwenden, wende es an, wende den plan an, wende die änderungen an,
		übernimm es, übernimm die änderungen, genehmigt, freigegeben, führ den plan aus, führe den plan aus, setz es um, setze es um, setz den plan um, ich stimme zu, ich bin einverstanden, weiter mit dem plan`,
	"fr": `oui, d'accord, ok, okay, parfait, très bien, bien, c'est bon, ça marche, ça me va, entendu, merci, s'il te plaît, s'il vous plaît, stp, svp, alors,
		vas-y, allez-y, allons-y, fais-le, faites-le, fais ça, applique-le, appliquez-le, applique le plan, appliquez le plan, applique les changements, applique les modifications, procède, procédez,
		exécute le plan, exécutez le plan, approuvé, j'approuve, je suis d'accord, on y va, lance-toi`,
	"es": `sí, si, de acuerdo, ok, okay, vale, perfecto, muy bien, está bien, bien, claro, genial, gracias, por favor, me parece bien,
		hazlo, hazlo así, adelante, procede, aplícalo, aplica el plan, aplica los cambios, ejecútalo, ejecuta el plan, aprobado, lo apruebo, estoy de acuerdo, dale, sigue con el plan`,
	"it": `sì, si, va bene, d'accordo, ok, okay, perfetto, ottimo, bene, certo, grazie, per favore, mi va bene, allora,
		fallo, fai così, procedi, vai, applicalo, applica il piano, applica le modifiche, esegui il piano, approvato, approvo, sono d'accordo`,
	"pt": `sim, ok, okay, está bem, tudo bem, certo, perfeito, ótimo, de acordo, obrigado, obrigada, por favor, então,
		faça isso, faz isso, pode fazer, prossiga, pode prosseguir, aplica, aplique o plano, aplique as alterações, aplique as mudanças, pode aplicar, execute o plano, aprovado, aprovo, concordo, vá em frente, manda ver`,
	"ru": `да, хорошо, согласен, согласна, ок, окей, отлично, ладно, пожалуйста, спасибо, подходит, тогда,
		делай, сделай это, сделай так, сделайте это, давай, примени, применяй, примени план, примени изменения, выполни план, выполняй, одобряю, одобрено, вперёд, вперед, приступай`,
	"zh": `好, 好的, 可以, 行, 没问题, 同意, 是, 是的, 对, 请, 谢谢, 不错,
		执行, 执行吧, 请执行, 执行计划, 执行这个计划, 应用, 应用吧, 应用更改, 应用这些更改, 就这样做, 就这么做, 做吧, 批准, 批准计划, 去做吧, 开始吧`,
	"ja": `はい, お願いします, いいです, いいですね, 大丈夫です, 了解, 了解です, ありがとう, それで,
		承認します, 実行して, 実行してください, 進めてください, 適用して, 適用してください, 計画を適用してください, 計画を実行してください, それでお願いします, そうしてください, やってください, それで実行してください`,
}

// longestPhrase is how many words the longest phrase has.
const longestPhrase = 4

var phraseSets = sync.OnceValue(func() (sets []map[string]bool) {
	for _, list := range phrases {
		set := map[string]bool{}
		for phrase := range strings.SplitSeq(list, ",") {
			set[strings.Join(strings.Fields(phrase), " ")] = true
		}
		sets = append(sets, set)
	}
	return sets
})

// agreesElsewhere reports whether a message, as plainWords returns it, consists of phrases of one
// language other than English.
func agreesElsewhere(text string) bool {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",.!;:–—、。，！；：", r) })
	return len(parts) > 0 && slices.ContainsFunc(phraseSets(), func(set map[string]bool) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return !areAll(strings.Fields(part), set) })
	})
}

// areAll reports whether words are phrases of a set, one after the other.
func areAll(words []string, set map[string]bool) bool {
	if len(words) == 0 {
		return true
	}
	for n := min(longestPhrase, len(words)); n > 0; n-- {
		if set[strings.Join(words[:n], " ")] && areAll(words[n:], set) {
			return true
		}
	}
	return false
}
