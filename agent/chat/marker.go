package chat

import (
	"slices"
	"strings"
	"sync"
)

// marker is where "redline:" begins a comment in a line. Offsets are in bytes
// from the start of the line.
type marker struct {
	code   int    // end of the code before the comment, without the spaces after it
	lead   int    // start of the comment's leader
	leader string // "//", "#", "/*" …; "" for a line inside a block comment
	gap    bool   // a space follows the leader
	text   int    // start of what follows "redline:"
	own    bool   // only spaces precede the leader
}

const word = "redline:"

// blocks has the leaders of block comments and what closes them.
var blocks = map[string]string{
	"/*": "*/", "/**": "*/", "{/*": "*/}", "<!--": "-->", "(*": "*)", "{-": "-}",
}

// trailing has the leaders of comments that may follow code in its line.
var trailing = map[string]bool{"//": true, "#": true, "--": true, ";": true, "/*": true, "<!--": true}

// isLeader reports whether a line comment of some language starts with s. A leader that often
// has another meaning counts only with a space after it.
func isLeader(s string, gap bool) bool {
	switch s {
	case "//", "///", "//!", "#", "##", "--", "---", "!", "::":
		return true
	case "'", `"`, "*":
		return gap
	}
	return strings.Trim(s, ";") == "" || strings.Trim(s, "%") == "" || gap && strings.EqualFold(s, "REM")
}

// findMarker returns the first comment of the line that starts with
// "redline:".
func findMarker(line string) (marker, bool) {
	for at := 0; ; {
		colon := strings.IndexByte(line[at:], ':')
		if colon < 0 {
			return bareMarker(line)
		}
		at += colon + 1
		if at < len(word) || !strings.EqualFold(line[at-len(word):at], word) {
			continue
		}
		if m, ok := markerBefore(line, at); ok {
			return m, true
		}
	}
}

// bareMarker returns the marker of a line that starts with "redline:" itself. It counts only
// in a block comment.
func bareMarker(line string) (marker, bool) {
	lead := len(line) - len(strings.TrimLeft(line, " \t"))
	text := lead + len(word)
	if len(line) < text || !strings.EqualFold(line[lead:text], word) {
		return marker{}, false
	}
	return marker{lead: lead, text: text, own: true}, true
}

// markerBefore returns the marker whose "redline:" ends at text, if a comment's leader is
// before it.
func markerBefore(line string, text int) (marker, bool) {
	before := line[:text-len(word)]
	head := strings.TrimRight(before, " \t")
	lead := strings.LastIndexAny(head, " \t") + 1
	code := strings.TrimRight(head[:lead], " \t")
	m := marker{
		code: len(code), lead: lead, leader: head[lead:],
		gap: len(head) < len(before), text: text, own: code == "",
	}
	if m.leader == "" {
		return marker{}, false
	}
	if _, block := blocks[m.leader]; !block && !isLeader(m.leader, m.gap) {
		return marker{}, false
	}
	return m, m.own || trailing[m.leader] && !endsInString(code)
}

// endsInString guesses whether code ends inside a string literal: most
// languages write them in double quotes or backticks.
func endsInString(code string) bool {
	quotes := strings.Count(code, `"`) - strings.Count(code, `\"`)
	return quotes%2 == 1 || strings.Count(code, "`")%2 == 1
}

// continued returns the text of a line comment directly below the marker's that belongs to it:
// one with the same leader that does not start a request itself. If the marker's comment has a
// space after its leader, the line needs one too, which keeps directives such as //go:embed out.
// If the marker's comment follows code, the line's must begin in the same column.
func (m marker) continued(line string) (text string, ok bool) {
	body := strings.TrimLeft(line, " \t")
	if len(body) < len(m.leader) || !strings.EqualFold(body[:len(m.leader)], m.leader) {
		return "", false
	}
	if !m.own && len(line)-len(body) != m.lead {
		return "", false
	}
	if _, another := findMarker(line); another {
		return "", false
	}
	text = body[len(m.leader):]
	switch {
	case text == "", m.leader == "":
		return text, true
	case m.gap:
		return text, text[0] == ' ' || text[0] == '\t'
	}
	return text, !strings.ContainsRune("/!#;%-*", rune(text[0]))
}

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
