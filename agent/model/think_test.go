package model_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/agent/model"
	"redline/agent/model/modeltest"
)

// A model's thoughts are not part of its answer, in whichever form they arrive.
func TestThoughts(t *testing.T) {
	delta := func(json string) string {
		return `data: {"choices":[{"index":0,"delta":` + json + `}]}` + "\n\n"
	}
	stop := `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	for name, test := range map[string]struct{ body, thought, text string }{
		"reasoning_content":  {delta(`{"reasoning_content":"I th"}`) + delta(`{"reasoning_content":"ink."}`) + delta(`{"content":"Yes."}`), "I think.", "Yes."},
		"reasoning":          {delta(`{"reasoning":"I think.","content":""}`) + delta(`{"content":"Yes."}`), "I think.", "Yes."},
		"both names":         {delta(`{"reasoning":"I think.","reasoning_content":"I think."}`) + delta(`{"content":"Yes."}`), "I think.", "Yes."},
		"parts":              {delta(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"I think."}]},{"type":"text","text":"Yes."}]}`), "I think.", "Yes."},
		"<think>":            {delta(`{"content":"\n<th"}`) + delta(`{"content":"ink>I think."}`) + delta(`{"content":"</think>\n\nYes."}`), "I think.", "Yes."},
		"<thinking>":         {delta(`{"content":"<thinking>I think.</thinking>Yes."}`), "I think.", "Yes."},
		"<thought>":          {delta(`{"content":"<thought>I think.</thought>Yes."}`), "I think.", "Yes."},
		"<reasoning>":        {delta(`{"content":"<reasoning>I think.</reasoning>\n\nYes."}`), "I think.", "Yes."},
		"<THINK>":            {delta(`{"content":"<THI"}`) + delta(`{"content":"NK>I think.</Think>Yes."}`), "I think.", "Yes."},
		"<seed:think>":       {delta(`{"content":"<seed:think>I think.</seed:think>Yes."}`), "I think.", "Yes."},
		"MiniMax's":          {delta(`{"content":"<mm:think>I think.</mm:think>Yes."}`), "I think.", "Yes."},
		"Gemma's":            {delta(`{"content":"<|channel>thought"}`) + delta(`{"content":"I think.<channel"}`) + delta(`{"content":"|>Yes."}`), "I think.", "Yes."},
		"Gemma's, none":      {delta(`{"content":"<|channel>thought<channel|>Yes."}`), "", "Yes."},
		"Command's":          {delta(`{"content":"<|START_THINKING|>I think.<|END_THINKING|>Yes."}`), "I think.", "Yes."},
		"harmony's":          {delta(`{"content":"<|channel|>analysis<|message|>I think.<|end|>"}`) + delta(`{"content":"<|start|>assistant<|channel|>final<|message|>Yes.<|return|>"}`), "I think.", "Yes."},
		"harmony's, begun":   {delta(`{"content":"<|start|>assistant<|channel|>analysis<|message|>I think.<|end|>Yes."}`), "I think.", "Yes."},
		"harmony's, cut":     {delta(`{"content":"<|channel|>analysis<|message|>I think.<|en"}`), "I think.<|en", ""},
		"harmony's preamble": {delta(`{"content":"<|channel|>commentary<|message|>I think.<|end|><|channel|>final<|message|>a < b <| c"}`), "I think.", "a < b <| c"},
		"harmony, quoted":    {delta(`{"content":"It begins with <|channel|>final<|message|>."}`), "", "It begins with <|channel|>final<|message|>."},
		"never closed":       {delta(`{"content":"<think>I think. </"}`), "I think. </", ""},
		"in the text":        {delta(`{"content":"Write <think> and </think> in it."}`), "", "Write <think> and </think> in it."},
		"nearly":             {delta(`{"content":"<thin"}`) + delta(`{"content":" ice>"}`), "", "<thin ice>"},
		"only the start":     {delta(`{"content":"<thi"}`), "", "<thi"},
		"a second one":       {delta(`{"content":"<think>a</think>b<think>c</think>"}`), "a", "b<think>c</think>"},
	} {
		t.Run(name, func(t *testing.T) {
			var events []model.Event
			reply, err := inProcess(modeltest.New(raw(test.body+stop))).Complete(t.Context(), hello(), func(e model.Event) { events = append(events, e) })
			if err != nil || reply.Text != test.text || reply.Thought != test.thought {
				t.Errorf("got text %q and thought %q, %v; want %q and %q", reply.Text, reply.Thought, err, test.text, test.thought)
			}
			checkEvents(t, events, reply)
			thought := ""
			for _, e := range events {
				thought += e.Thought
			}
			if thought != test.thought {
				t.Errorf("the events tell the thought %q", thought)
			}
		})
	}
}

// Where a reply is cut into fragments makes no difference.
func TestThoughtsInAnyFragmentationProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.SampledFrom([]string{"<think>", "</think>", "<thinking>", "</thinking>", "<THINK>", "</thought>", "<thought>", "<|channel>thought", "<channel|>",
			"<|channel|>", "analysis", "final", "to=functions.f", "<|message|>", "<|end|>", "<|start|>assistant", "<|call|>", "<|", "<", "</th", " ", "\n", "a", "é", testKey})
		text := strings.Join(rapid.SliceOfN(word, 0, 12).Draw(rt, "words"), "")
		ask := func(pieces []string) model.Reply {
			parts := make([]modeltest.Part, len(pieces))
			for i, p := range pieces {
				parts[i] = modeltest.Text(p)
			}
			reply, err := inProcess(modeltest.New(modeltest.Stream(parts...))).Complete(t.Context(), hello(), nil)
			if err != nil {
				rt.Fatal(err)
			}
			return reply
		}
		whole, cut := ask([]string{text}), ask(cuts(rt, text))
		if whole.Text != cut.Text || whole.Thought != cut.Thought || !cmp.Equal(whole.Calls, cut.Calls) {
			rt.Errorf("%q: as a whole %q and %q, in pieces %q and %q", text, whole.Thought, whole.Text, cut.Thought, cut.Text)
		}
		if strings.Contains(whole.Text+whole.Thought, testKey) {
			rt.Errorf("the key is in %q, %q", whole.Thought, whole.Text)
		}
	})
}
