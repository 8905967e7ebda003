package turn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.uber.org/zap"

	"redline/agent/chat"
	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/store"
	"redline/agent/tool"
	"redline/agent/toolset"
)

// fingerprint has all that identifies a request: with the same the model would do the same again.
type fingerprint struct {
	Route, Mode string
	Quoted      bool
	Own, Text   string          // the user's own words, and the whole text
	Told        []model.Message // the first messages to the model; the last one begins with Text
	Model       model.Info
	Limits      loop.Limits
	Reach       string // what else models can reach
}

// reusable is a request whose plan may be repeated without asking the model. The plan of a nil one must
// not be.
//
// To repeat a plan runs the model's calls again in a new draft. Each call must give the same result
// as before, byte for byte, and the same files must end up with the same texts. The new plan has
// nothing from the earlier one but its number, for the sentence that names it, and waits like any
// other plan.
type reusable struct {
	session *session.Session
	key     string // a hash of the fingerprint
	form    string // a hash of the fingerprint with what the request asks for in place of its words; "" if that is not known
}

// reusableAs returns the request with a fingerprint.
func reusableAs(s *session.Session, m fingerprint) *reusable {
	r := &reusable{session: s, key: m.hash("2", normal(m.Own), normal(m.Text))}
	if form := chat.AsksFor(normal(m.Text)); form != "" && m.Own == m.Text {
		r.form = m.hash("form", form, form)
	}
	return r
}

// hash returns a hash of the fingerprint with other words for the request.
func (m fingerprint) hash(version, own, text string) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	last := len(m.Told) - 1
	rest := strings.TrimPrefix(m.Told[last].Content, m.Text)
	_ = enc.Encode([]any{version, m.Route, m.Mode, m.Quoted, own, text, rest, m.Model, m.Limits, offered(tool.All()), m.Reach}) // it never fails: all are strings and numbers
	for _, told := range m.Told[:last] {
		_ = enc.Encode([]any{told.Role, told.Content})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// repeated is the repeated work for a request.
type repeated struct {
	plan   int    // the number of the earlier plan
	goal   string // its goal, if the request has asked for the same in other words; else ""
	draft  *draft.Draft
	answer string
	calls  []repeatedCall
}

type repeatedCall struct {
	tool   string
	result tool.Result
}

// repeat repeats what was done for an equal request. envFor returns the environment of the calls
// on a draft; for live see [draft.Draft.Seal]. It returns false if the model has to be asked:
// nothing was stored, or the same calls no longer give the same results.
func (r *reusable) repeat(ctx context.Context, envFor func(*draft.Draft) *tool.Env, live func(path string) (text string, exists bool, mode uint32, err error)) (*repeated, bool) {
	s := r.session
	kept, ok, err := s.Store.Reusable(ctx, s.Key(), r.key, s.Now())
	otherwise := !ok && err == nil && r.form != ""
	if otherwise {
		kept, ok, err = s.Store.Reusable(ctx, s.Key(), r.form, s.Now())
	}
	var was record
	if err == nil && ok {
		err = json.Unmarshal([]byte(kept.Record), &was)
	}
	if err != nil {
		s.Log.Info("it could not be found out whether a plan can be reused", zap.Error(err))
	}
	if err != nil || !ok || !stillWelcome(ctx, s, kept.Plan) {
		return nil, false
	}
	made := &repeated{plan: kept.Plan, draft: draft.New(s.Workspace), answer: was.Answer}
	if p, err := s.Store.Plan(ctx, s.Key(), kept.Plan); otherwise && err == nil {
		made.goal = p.Goal
	}
	env, tools := envFor(made.draft), tool.All()
	env.Languages = nil // repeating waits for no server
	for _, c := range was.Calls {
		t, ok := tool.Find(tools, c.Tool)
		if !ok || ctx.Err() != nil {
			return nil, false
		}
		result := t.RunAsStep(ctx, env, c.Step, json.RawMessage(c.Arguments))
		if sum(result.Text) != c.Result {
			return nil, false
		}
		made.calls = append(made.calls, repeatedCall{t.Name, result})
	}
	if was.Report {
		loop.AskReport(made.draft)
	}
	lean, _ := made.draft.Lean(toolset.Replay(ctx, s.Workspace))
	sealed, err := lean.Seal(live)
	if err != nil || !slices.Equal(states(sealed.Changes), was.Files) {
		return nil, false
	}
	return made, true
}

// stillWelcome reports whether the user accepted a plan unchanged or has not decided yet. A plan
// that they rejected, undid, changed or rated as poor is not proposed again without asking the
// model.
func stillWelcome(ctx context.Context, s *session.Session, number int) bool {
	p, err := s.Store.Plan(ctx, s.Key(), number)
	if err != nil || len(p.Revisions) != 1 || p.State == plan.Cancelled || p.State == plan.Failed || p.Rating == 1 || p.Rating == 2 {
		return false
	}
	decisions, err := s.Store.Decisions(ctx, s.Key(), number)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(decisions, func(d plan.Decision) bool { return d.Verdict != plan.VerdictApprove })
}

// keep stores what the model did for the request: its answer and its messages, which led to the
// revision of plan number. It stores nothing for a revision without operations. It only logs a
// failure.
func (r *reusable) keep(number int, revision *plan.Revision, answer string, messages []model.Message) {
	if len(revision.Operations) == 0 {
		return
	}
	done := record{Answer: answer, Files: states(revision.Changes), Report: revision.Report}
	results := map[string]string{} // results of calls, by call id
	for _, m := range messages {
		if m.Role == model.RoleTool {
			results[m.CallID] = sum(m.Content)
		}
	}
	tools := tool.All()
	for _, m := range messages {
		for _, c := range m.Calls {
			if t, ok := tool.Find(tools, c.Name); !ok || !slices.Contains(repeatable, t.Name) {
				return
			}
			done.Calls = append(done.Calls, call{c.Name, c.Arguments, c.Step, results[c.ID]})
		}
	}
	s := r.session
	doc, err := json.Marshal(done)
	if err != nil {
		s.Log.Warn("a plan could not be kept for reuse", zap.Int("plan", number), zap.Error(err))
		return
	}
	if len(doc) <= maxRecord {
		for _, key := range []string{r.key, r.form} {
			if key != "" {
				s.Store.SaveReuse(s.Key(), store.Reuse{Key: key, Plan: number, Kept: s.Now().UTC(), Record: string(doc)})
			}
		}
	}
}

// offered returns the descriptions of the tools that the model gets.
func offered(tools []tool.Tool) []string {
	var all []string
	for _, t := range tools {
		all = append(all, t.Name, t.Description, string(t.Schema))
	}
	return all
}

// record is the stored form of a turn.
type record struct {
	Answer string      `json:"answer"`
	Calls  []call      `json:"calls"`
	Files  []fileState `json:"files"`
	Report bool        `json:"report,omitempty"` // a written plan has asked for it
}

// call is a tool call of the model.
type call struct {
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
	Step      string `json:"step,omitempty"` // see [model.Call]
	Result    string `json:"result"`         // SHA-256 of the result's text
}

// fileState is a file as the turn left it.
type fileState struct {
	Path     string      `json:"path"`
	NewPath  string      `json:"newPath,omitempty"`
	Action   plan.Action `json:"action"`
	Base     plan.Blob   `json:"base"`
	Proposed plan.Blob   `json:"proposed"`
}

// maxRecord is how many bytes a record may have.
const maxRecord = 1 << 20

// repeatable are the tools whose results depend only on the files and their history. A turn that
// has called another tool is not stored.
var repeatable = []string{
	"read_file", "list_files", "search", "outline", "git_log", "git_diff", "git_blame",
	"submit_plan", "edit_file", "apply_patch", "write_file", "delete_file", "rename_file", "text_editor", "run_command",
}

// states describes the files after changes, sorted by path.
func states(changes []plan.Change) []fileState {
	var all []fileState
	for _, c := range changes {
		all = append(all, fileState{c.Path, c.NewPath, c.Action, c.Base, c.Proposed})
	}
	slices.SortStableFunc(all, func(x, y fileState) int { return strings.Compare(x.Path, y.Path) })
	return all
}

// sum returns the SHA-256 of a text.
func sum(text string) string {
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:])
}

// normal returns a request without what does not change its meaning:
//
//   - spaces at its ends, and more than one between words;
//   - a full stop or comma at its end, and an exclamation mark after an ordinary word;
//   - "please" at its start or end;
//   - capitals in its first word, if that is an order.
//
// Anything else may be a name: total and Total are two, and so are save and save!, and "a  b" and
// "a b". So the case of other words stays as it is; what is between quotes stays as it is; and a
// request of several lines, which may have code or a list in it, is only trimmed. In "Add fails"
// the first word is no order but what the request is about, so an order must be followed by what
// cannot be its verb. When in doubt the model is asked.
func normal(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if strings.Contains(text, "\n") {
		return text
	}
	text, open := joinSpaces(text)
	if !open {
		text = withoutEnd(text)
	}
	if rest, ok := cutWord(text, "please"); ok && slices.Contains(orders, strings.ToLower(firstWord(rest))) {
		text = rest
	}
	if isOrder(text) {
		first := firstWord(text)
		text = strings.ToLower(first) + text[len(first):]
	}
	return text
}

// joinSpaces replaces several spaces with one, except between quotes. open is true if a quote is
// not closed; then everything after it stays.
func joinSpaces(text string) (joined string, open bool) {
	var b strings.Builder
	last := ' '
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if closes := closing(r, last); closes != 0 {
			end := strings.IndexRune(text[size:], closes)
			if end < 0 {
				b.WriteString(text)
				return b.String(), true
			}
			size += end + utf8.RuneLen(closes)
			b.WriteString(text[:size])
			last, text = closes, text[size:]
			continue
		}
		if r != ' ' || last != ' ' {
			b.WriteString(text[:size])
		}
		last, text = r, text[size:]
	}
	return strings.TrimSpace(b.String()), false
}

// closing returns the quote that closes the one that r opens after before, 0 if r opens none. An
// apostrophe in a word opens none.
func closing(r, before rune) rune {
	switch r {
	case '`', '"':
		return r
	case '\'':
		if unicode.IsLetter(before) || unicode.IsDigit(before) {
			return 0
		}
		return r
	case '“', '„':
		return '”'
	case '‘':
		return '’'
	case '«':
		return '»'
	}
	return 0
}

// withoutEnd removes the punctuation and the "please" at the end of a request.
func withoutEnd(text string) string {
	text = withoutMark(text)
	const word = "please"
	rest := len(text) - len(word)
	if rest < 2 || !strings.EqualFold(text[rest:], word) || text[rest-1] != ' ' {
		return text
	}
	asked := strings.TrimRight(text[:rest], " ")
	if bare := withoutMark(asked); bare != asked {
		return bare
	}
	before := asked[strings.LastIndexByte(asked, ' ')+1:]
	if text[rest:] != word || before == asked || slices.Contains(leading, strings.ToLower(before)) || !isWord(before) && !isName(before) {
		return text // the request may be about the word: rename thanks to please
	}
	return asked
}

// withoutMark removes one punctuation mark from the end of a sentence.
func withoutMark(text string) string {
	bare, mark := text[:max(0, len(text)-1)], text[max(0, len(text)-1):]
	last, _ := utf8.DecodeLastRuneInString(bare)
	switch {
	case mark == "." || mark == ",":
		if unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune("`\"'”’»)", last) {
			return bare
		}
	case mark == "!" && strings.EqualFold(bare[strings.LastIndexByte(bare, ' ')+1:], "please"):
		return bare // save! is a name
	}
	return text
}

// isOrder reports whether a request begins with a verb that gives an order, and the next words
// show that the verb is not a name about which something is said.
func isOrder(text string) bool {
	first := firstWord(text)
	if !slices.Contains(orders, strings.ToLower(first)) {
		return false
	}
	words := strings.SplitN(strings.TrimPrefix(text[len(first):], " "), " ", 3)
	switch {
	case text == first || words[0] == "":
		return false
	case slices.Contains(determiners, words[0]):
		return true
	case slices.Contains(moving, strings.ToLower(first)) && len(words) == 3 && slices.Contains([]string{"to", "with", "by", "into"}, words[1]):
		return isName(words[0]) || isWord(words[0]) && !mayBeVerb(words[0])
	}
	second, _ := utf8.DecodeRuneInString(words[0])
	return isName(words[0]) || isWord(words[0]) && unicode.IsUpper(second) && !mayBeVerb(words[0])
}

// isName reports whether a word is quoted, or not spelled like an English word.
func isName(word string) bool {
	if word == "" {
		return false
	}
	quoted := strings.ContainsAny(word[:1], "`\"'“‘«")
	return quoted || strings.ContainsAny(word, "_./()") && strings.IndexFunc(word, unicode.IsLetter) >= 0 && !strings.HasSuffix(word, ".") ||
		strings.IndexFunc(word, unicode.IsDigit) > 0 || strings.IndexFunc(word[1:], unicode.IsUpper) >= 0
}

// isWord reports whether a word has letters only.
func isWord(word string) bool {
	return word != "" && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// mayBeVerb reports whether a word may be the verb of a sentence about one thing: "Move leads to
// a panic".
func mayBeVerb(word string) bool {
	word = strings.ToLower(word)
	return strings.HasSuffix(word, "s") || strings.HasSuffix(word, "ed") || slices.Contains(verbs, word)
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// cutWord removes a word, and the space after it, from the start of text.
func cutWord(text, word string) (rest string, ok bool) {
	first := firstWord(text)
	if !strings.EqualFold(strings.TrimSuffix(first, ","), word) || first == text {
		return text, false
	}
	return text[len(first)+1:], true
}

var (
	// orders are verbs that begin requests.
	orders = strings.Fields(`add apply break build bump change check clean comment convert copy create delete describe document drop
		ensure explain export extend extract find fix format generate handle implement improve include inline insert introduce
		make mark merge migrate move optimise optimize port prefix put reduce refactor reformat remove rename reorder replace
		restore return revert review rewrite rework show simplify sort split support swap switch test tidy translate turn
		undo unify update upgrade use validate wrap write`)
	// moving are verbs that change one thing into another.
	moving = strings.Fields("change convert move rename replace swap switch translate turn")
	// determiners are words, in lower case, that begin the object of an order. No sentence has
	// one after its first word if that word is its subject.
	determiners = strings.Fields("a an the this these those all every each some any my our your its their another it them")
	// leading are words that need another word after them.
	leading = strings.Fields(`a an the to with by into as of for from in on at and or not no than is are be called named
		word words say says text string name like before after prefix suffix`)
	// verbs are verbs of a sentence that end in neither s nor ed.
	verbs = strings.Fields(`can cannot could may might must shall should will would ought had did went came led ran got fell threw
		broke took gave made sent left kept saw put set cut hit let read wrote cost spread built became began bent bound bought
		brought caught chose crept dealt drew drove felt fought found forgot froze gone grew grown held hung knew laid lay lent
		lost meant met paid quit rose said sank shot shut slid sold spent split spun stood stuck stole struck swept swung thought
		told tore understood withdrew won wound`)
)
