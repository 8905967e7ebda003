package chat

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/internal/fence"
	"redline/internal/lazyregexp"
)

// Admits reports whether an answer says that a file could not be changed: it names the file, in a
// sentence with a word such as "not", or without a word in the answer that something was done. To
// name the file is not enough, since "I have changed a.go" does that too. With the name "" any
// sentence counts.
func Admits(answer, name string) bool {
	named, done := false, false
	for _, s := range answerSentences(answer) {
		denies, names := denial().MatchString(s), mentions(s, name) || mentions(s, path.Base(name))
		if denies && (names || name == "") {
			return true
		}
		named, done = named || names, done || !denies && success().MatchString(s)
	}
	return named && !done
}

// Words by which answers in several languages say that something was not done, or that it was.
var (
	denial = lazyregexp.New(`(?i)(?:^|[^\pL])(?:not|no|cannot|\pL+n[’']t|never|nothing|none|neither|nor|without|unable|fail(?:s|ed|ing|ure)?|refus\pL+|reject\pL+|denied|impossible|missing|unchanged|untouched|` +
		`nicht|kein\pL*|nichts|pas|aucune?|rien|ningun[oa]?|ningún|nada|imposible|non|nessun\pL*|niente|impossibile|não|nenhum\pL*|impossível|niet|geen|niets|inte|ingen|inget|ikke|nie|не|нет|ничего|нельзя|değil)(?:[^\pL]|$)` +
		`|[不无無没沒未]|ない|ません|なかった|できず|없|않|못`)
	success = lazyregexp.New(`(?i)(?:^|[^\pL])(?:done|now|changed|updated|fixed|edited|modified|adjusted|added|removed|deleted|renamed|moved|created|replaced|rewritten|rewrote|written|wrote|applied|implemented|refactored|corrected|completed|finished|made|mended|ready|` +
		`geändert|angepasst|korrigiert|behoben|ersetzt|hinzugefügt|gelöscht|entfernt|umbenannt|verschoben|erstellt|erledigt|fertig|modifié\pL*|corrigé\pL*|remplacé\pL*|ajouté\pL*|supprimé\pL*|renommé\pL*|créé\pL*|fait|terminé\pL*|` +
		`cambiad[oa]s?|cambié|actualizad[oa]s?|corregid[oa]s?|modificad[oa]s?|eliminad[oa]s?|hecho|listo|modificat[oaie]|corrett[oaie]|aggiornat[oaie]|fatto|alterad[oa]s?|atualizad[oa]s?|corrigid[oa]s?|feito|pronto|gewijzigd|aangepast|klaar|ändrat|endret|ændret|zmienion\pL*|изменил\pL*|исправил\pL*|обновил\pL*|заменил\pL*|готово|değiştir\pL*|güncelle\pL*)(?:[^\pL]|$)` +
		`|已|完成|修改了|更新了|しました|完了|했습니다|완료`)
)

// mentions reports whether a sentence has a name that is no part of a longer one.
func mentions(sentence, name string) bool {
	part := func(r rune) bool {
		return r == '_' || r == '-' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
	}
	for rest, before := sentence, rune(' '); ; {
		at := strings.Index(rest, name)
		if at < 0 || name == "" {
			return false
		}
		if at > 0 {
			before, _ = utf8.DecodeLastRuneInString(rest[:at])
		}
		rest = rest[at+len(name):]
		after, _ := utf8.DecodeRuneInString(rest)
		if !part(before) && !part(after) {
			return true
		}
		before, _ = utf8.DecodeLastRuneInString(name)
	}
}

// answerSentences returns the sentences of an answer, without the code in it. A line ends a sentence,
// a full stop only with a space after it: there is one in the name of a file too.
func answerSentences(answer string) []string {
	var all []string
	var code fence.Reader
	for line := range strings.Lines(answer) {
		line = strings.TrimSpace(line)
		if code.Next(line) {
			continue
		}
		line = strings.NewReplacer(". ", ".\n", "! ", "!\n", "? ", "?\n", "。", "。\n", "！", "！\n", "？", "？\n").Replace(line)
		all = append(all, strings.Split(line, "\n")...)
	}
	return all
}
