package chat

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"redline/internal/lazyregexp"
)

// maxGoesOn is how many bytes a message may have that only says to continue.
const maxGoesOn = 80

// goesOn matches an English message, in lower case and without its final punctuation, that only
// says to continue: words that agree, then what should continue, then polite words. "Go on" and
// "continue" are not among them, since they may also ask the model for more.
var goesOn = func() func() *regexp.Regexp {
	const (
		agrees = `(?:yes|yep|yeah|yup|sure|sure thing|ok|okay|k|great|good|perfect|fine|excellent|cool|nice|right|alright|all right|absolutely|definitely|certainly|of course|agreed|please|thanks|thank you|then|well|now|just|and|so|looks good(?: to me)?|lgtm|sounds good|all good|that's it|that is it)`
		plan   = `(?:(?:the|this|that|your) (?:(?:whole|current) )?plan|plan \d+|(?:the|these|those|your|all|all the) (?:changes|edits))`
		it     = `(?:it|that|this|them|these|those|all|all of it|all of them|all of that|everything|` + plan + `)`
		yours  = `(?:you (?:can|may|should) |let's |let us |i(?:'d| would) like you to |i want you to |(?:can|could|would|will) you (?:please )?)?`
		verbs  = `(?:do ` + it + `|do so|go ahead(?: with ` + it + `| and (?:do|apply) ` + it + `)?|go for it|go|proceed(?: with ` + it + `)?|(?:continue|go on|carry on|run|start)(?: with)? ` + plan + `|carry ` + it + ` out|make it so|make it happen|let it rip|fire away|full speed ahead|(?:ship|land) it|merge ` + it + `|you have my (?:ok|okay|approval|blessing)|(?:apply|approve|accept|execute|implement)(?: ` + it + `)?|i (?:approve|accept|agree with)(?: ` + it + `)?|` + it + ` (?:works|works for me|is fine|is good|looks good|looks fine|is approved)|works for me|(?:i'm|i am) (?:happy|fine|ok|okay|good) with ` + it + `|i agree|approved|accepted)`
		polite = `(?:please|now|then|thanks|thank you|already|for me|as proposed|as planned|as is|as it is|all the way)`
		sep    = `[,.!;:–—-]*\s+`
	)
	return lazyregexp.New(`^(?:` + agrees + sep + `)*(?:` + agrees + `|` + yours + verbs + `)(?:` + sep + polite + `)*$`)
}()

var (
	// politely matches a request in the form of a question.
	politely = lazyregexp.New(`^(?:please,? )?(?:can|could|would|will) you\b`)
	// aboutThePlan matches words that can only mean a plan.
	aboutThePlan = lazyregexp.New(`\b(?:plan|changes|edits|apply|approved?|accept(?:ed)?|proceed|execute|implement|lgtm|ship it)\b`)
)

// GoesOn reports whether a message says, as a whole and with no other words, to continue with
// what was proposed: "yes, do it", "LGTM", "ja, mach das". It approves nothing: only [Approves]
// finds the phrases that do. A message that adds anything ("go ahead, but rename it") does not
// count.
func GoesOn(text string) bool {
	words := plainWords(text)
	return words != "" && (beginnings[firstWord(words)] && goesOn().MatchString(words) || agreesElsewhere(words))
}

// beginnings has the words with which a match of goesOn can begin. Compiling and running that expression
// allocates more than all else in a short turn, and most messages begin with another word.
var beginnings = wordsOf(`yes yep yeah yup sure ok okay k great good perfect fine excellent cool nice right alright all absolutely definitely
	certainly of agreed please thanks thank then well now just and so looks lgtm sounds that's that you let's let i i'd can could would
	will do go proceed continue carry run start make fire full merge land ship apply approve accept execute implement it this them these those everything the
	your plan works i'm approved accepted`)

func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		words[word] = true
	}
	return words
}

// firstWord returns the letters and apostrophes with which a text begins.
func firstWord(text string) string {
	for i := range len(text) {
		if c := text[i]; c != '\'' && (c < 'a' || c > 'z') {
			return text[:i]
		}
	}
	return text
}

// OnlyAgrees reports whether a message says to continue without naming anything. It may also
// answer a question that was asked meanwhile.
func OnlyAgrees(text string) bool {
	return GoesOn(text) && !aboutThePlan().MatchString(plainWords(text))
}

// AsksForMore reports whether an answer ends with a question that is not about approving, so
// that "yes" may be the reply to it.
func AsksForMore(answer string) bool {
	answer = strings.TrimRight(answer, " \t\r\n*_`)")
	if !strings.HasSuffix(answer, "?") {
		return false
	}
	asked := answer[strings.LastIndexAny(answer[:len(answer)-1], ".!?\n")+1:]
	return !aboutThePlan().MatchString(strings.ToLower(asked))
}

// plainWords returns a message in lower case, with single spaces and without the punctuation at
// its end. A raised thumb and similar signs become words. It returns "" for a question, and for
// a message that is too long.
func plainWords(text string) string {
	if len(text) > maxGoesOn || strings.ContainsRune(strings.TrimSpace(text), '\n') {
		return ""
	}
	text = strings.ToLower(signs.Replace(text))
	text = strings.Join(strings.Fields(text), " ")
	bare := strings.TrimRight(text, ".!?。！？ ")
	if strings.ContainsAny(bare, "?？") || strings.ContainsAny(text[len(bare):], "?？") && !politely().MatchString(bare) {
		return ""
	}
	return bare
}

// signs are what people write instead of a word, and marks that look alike.
var signs = strings.NewReplacer("’", "'", "👍", " ok ", "👌", " ok ", "✅", " ok ", "🚀", " ", "🙏", " please ", "🙂", " ", "😊", " ", "\ufe0f", "",
	"🏻", "", "🏼", "", "🏽", "", "🏾", "", "🏿", "")

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
	"nl": `ja, graag, prima, goed, oké, ok, okay, akkoord, ziet er goed uit, klinkt goed, perfect, mooi, bedankt, alsjeblieft, alstublieft, dan,
		doe het, doe dat, doe maar, ga je gang, voer het uit, voer het plan uit, pas het toe, pas het plan toe, pas de wijzigingen toe, goedgekeurd, ik ga akkoord`,
	"pl": `tak, dobrze, ok, okej, w porządku, zgoda, zgadzam się, świetnie, super, jasne, proszę, dzięki, dziękuję,
		zrób to, zrób tak, zastosuj, zastosuj to, zastosuj plan, zastosuj zmiany, wykonaj plan, wykonaj to, zatwierdzam, zatwierdzone, akceptuję, do dzieła`,
	"ko": `네, 예, 응, 좋아, 좋아요, 좋습니다, 그래, 그래요, 괜찮아요, 알겠습니다, 감사합니다, 부탁합니다, 부탁드립니다,
		진행해, 진행해 줘, 진행해 주세요, 진행해주세요, 진행하세요, 적용해, 적용해 줘, 적용해 주세요, 적용해주세요, 계획대로 진행해 주세요,
		그렇게 해, 그렇게 해 줘, 그렇게 해 주세요, 그렇게 해주세요, 실행해 주세요, 승인합니다`,
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
