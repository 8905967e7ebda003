package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"

	"redline/agent/state"
	"redline/internal/fence"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
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

// MaxPredicted is how many files a prediction may have.
const MaxPredicted = 50

// maxPath is how many bytes a path may have.
const maxPath = 300

// PredictSchema is the JSON schema of a model's list.
var PredictSchema = json.RawMessage(`{"type":"object","properties":{"files":{"type":"array","items":{"type":"string"}}},"required":["files"],"additionalProperties":false}`)

// ParsePredicted reads a model's list of files: one JSON object, alone or in one fence. The paths are
// as the model wrote them. The error is one sentence.
func ParsePredicted(reply string) ([]string, error) {
	var in struct {
		Files *[]string `json:"files"`
	}
	if err := jsonv2.Unmarshal([]byte(fence.Unwrap(reply)), &in, jsonv2.RejectUnknownMembers(true)); err != nil || in.Files == nil {
		return nil, errors.New("the list of files is not the JSON object that was asked for")
	}
	return *in.Files, nil
}

var (
	inQuotes = lazyregexp.New("`([^`\\s]+)`")
	bare     = lazyregexp.New(`(?:^|[\s("'])((?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,9}|(?:[\w.@+-]+/)+[\w@+-]+)`)
	called   = lazyregexp.New(`^(?:.*/)?(?:[\w@+.-]*\.[A-Za-z][A-Za-z0-9]{0,9}|Makefile|Dockerfile|Containerfile|LICENSE|README|CHANGELOG|Gemfile|Rakefile|Procfile|Justfile)$`)
	method   = lazyregexp.New(`^[A-Za-z_]\w*\.[A-Z]\w*$`) // a name from a program, such as fmt.Println
)

// PredictFromWords returns what looks like a file in a plan in words, in order. known reports whether a
// file exists at a path: a name without an extension, and not in backticks, counts only then.
func PredictFromWords(description string, known func(path string) bool) []string {
	type hit struct {
		at   int
		path string
	}
	var hits []hit
	for _, m := range inQuotes().FindAllStringSubmatchIndex(description, -1) {
		word := clean(description[m[2]:m[3]])
		if called().MatchString(word) && !method().MatchString(word) || known(word) {
			hits = append(hits, hit{m[2], word})
		}
	}
	for _, m := range bare().FindAllStringSubmatchIndex(description, -1) {
		word := clean(strings.TrimRight(description[m[2]:m[3]], "."))
		likely := strings.Contains(word, "/") && called().MatchString(word) && !strings.Contains(word, "..")
		if likely || known(word) {
			hits = append(hits, hit{m[2], word})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.at - b.at })
	paths := make([]string, len(hits))
	for i, h := range hits {
		paths[i] = h.path
	}
	return paths
}

// CleanPredicted returns the workspace paths of a list: those that check accepts, each once, at most
// [MaxPredicted].
func CleanPredicted(paths []string, check func(path string) (string, error)) []string {
	var out []string
	for _, p := range paths {
		p = clean(p)
		if p == "" || p == "." || len(p) > maxPath || strings.ContainsAny(p, "\n\r\x00*?") {
			continue
		}
		p, err := check(p)
		if err != nil || slices.Contains(out, p) {
			continue
		}
		if out = append(out, p); len(out) == MaxPredicted {
			break
		}
	}
	return out
}

// clean removes what is often around a path: "./", a line number.
func clean(p string) string {
	p = strings.Trim(strings.TrimSpace(p), "`\"'")
	if name, line, ok := strings.Cut(p, ":"); ok && strings.Trim(line, "0123456789:-") == "" {
		p = name
	}
	if p == "" {
		return ""
	}
	return path.Clean(p)
}

// IntentSchema is the JSON schema of a model's classification.
var IntentSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"off_topic":{"type":"boolean"},"plan":{"type":"boolean"},"conversational":{"type":"boolean"},"proceed":{"type":"boolean"},` +
	`"render":{"type":"boolean"},"develop":{"type":"boolean"},"operate":{"type":"boolean"},"reason":{"type":"string"}},` +
	`"required":["off_topic","plan","conversational","proceed","render","develop","operate","reason"],"additionalProperties":false}`)

// maxMessage is how many bytes of a message a model reads to classify it.
const maxMessage = 4000

// IntentMessage formats a message for a model that classifies it: quoted, so that nothing in it can
// pass for anything else, and cut if it is long.
func IntentMessage(text string, s Situation) string {
	cut := ""
	if len(text) > maxMessage {
		cut = fmt.Sprintf("\n(The message is cut after %d bytes.)", maxMessage)
		text = strings.ToValidUTF8(text[:maxMessage], "")
	}
	var quoted bytes.Buffer
	out := json.NewEncoder(&quoted)
	out.SetEscapeHTML(false)
	_ = out.Encode(text) // strings always encode
	facts := "It begins its conversation."
	switch {
	case s.Waiting:
		facts = "A plan waits for the user's decision."
	case s.Revisions:
		facts = "The conversation has a plan, but nothing in it waits for a decision."
	case !s.First:
		facts = "The conversation has no plan yet."
	}
	return fmt.Sprintf("The message: %s\n%s%s", strings.TrimSpace(quoted.String()), facts, cut)
}

// maxReply is how many bytes a classification may have.
const maxReply = 8 << 10

// ParseIntent reads a model's classification: one JSON object with every flag and nothing else, alone
// or in one fence. why is the model's reason. The error is one sentence.
func ParseIntent(reply string) (f state.Intent, why string, err error) {
	if len(reply) > maxReply {
		return f, "", errors.New("the classification is too long")
	}
	var in struct {
		OffTopic       *bool   `json:"off_topic"`
		Plan           *bool   `json:"plan"`
		Conversational *bool   `json:"conversational"`
		Proceed        *bool   `json:"proceed"`
		Render         *bool   `json:"render"`
		Develop        *bool   `json:"develop"`
		Operate        *bool   `json:"operate"`
		Reason         *string `json:"reason"`
	}
	// It refuses unknown and duplicate names, and names in another case.
	if err := jsonv2.Unmarshal([]byte(fence.Unwrap(reply)), &in, jsonv2.RejectUnknownMembers(true)); err != nil {
		return f, "", errors.New("the classification is not the JSON object that was asked for")
	}
	for _, flag := range []struct {
		name string
		in   *bool
		out  *bool
	}{
		{"off_topic", in.OffTopic, &f.OffTopic}, {"plan", in.Plan, &f.Plan}, {"conversational", in.Conversational, &f.Conversational},
		{"proceed", in.Proceed, &f.Proceed}, {"render", in.Render, &f.Render}, {"develop", in.Develop, &f.Develop}, {"operate", in.Operate, &f.Operate},
	} {
		if flag.in == nil {
			return state.Intent{}, "", fmt.Errorf("the classification lacks %q", flag.name)
		}
		*flag.out = *flag.in
	}
	if in.Reason != nil {
		why = shortReason(*in.Reason)
	}
	return f, why, nil
}

// shortReason returns a model's reason as one line of at most 200 characters.
func shortReason(reason string) string {
	return phrase.Clip(phrase.OneLine(strings.ToValidUTF8(reason, "")), 200)
}
