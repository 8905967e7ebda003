package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	acp "github.com/coder/acp-go-sdk"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/edits"
	"redline/internal/acpwire"
)

// The config options of a session.
const (
	optionMode  = "mode"
	optionModel = "model"
	optionWith  = "with" // who works: the model, or an outside agent
)

// modeNames are the names of the modes.
var modeNames = map[string]string{"auto": "Auto", "plan": "Plan", "text": "Plan in words", "ask": "Ask", "heap": "Specialists"}

// modeWords say what the modes do.
func modeWords(mode string) string {
	for _, c := range chat.Commands() {
		if c.Name == mode {
			return c.Does
		}
	}
	return "decide by the message"
}

// conversation returns the session's conversation.
func (n *chatSession) conversation() *conversation.Conversation {
	client, _ := n.place.server.ready()
	return n.place.agent.Conversations.Find(&conversation.Request{Message: conversation.Message{Conversation: n.id, Client: client.recorded()}})
}

// choices returns the session's modes and config options, with what the user has chosen.
func (n *chatSession) choices(ctx context.Context) (*acp.SessionModeState, []acp.SessionConfigOption) {
	a := n.place.agent
	chosen, _ := a.Conversations.Choices(ctx, n.conversation()) // with an error, the last that are known
	mode := cmp.Or(chosen.Mode, "auto")
	n.mu.Lock()
	n.told = chosen
	n.mu.Unlock()

	modes := &acp.SessionModeState{CurrentModeId: acp.SessionModeId(mode)}
	var modeValues []acp.SessionConfigSelectOption
	for _, m := range chat.Modes {
		words := modeWords(m)
		modes.AvailableModes = append(modes.AvailableModes, acp.SessionMode{Id: acp.SessionModeId(m), Name: modeNames[m], Description: &words})
		modeValues = append(modeValues, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueId(m), Name: modeNames[m], Description: &words})
	}
	model := a.ModelState()
	name := edits.VisibleLine(cmp.Or(model.Name, model.Provider))
	options := []acp.SessionConfigOption{
		selectOf(optionMode, "Mode", acp.SessionConfigOptionCategoryMode, mode, modeValues),
		selectOf(optionModel, "Model", acp.SessionConfigOptionCategoryModel, name, []acp.SessionConfigSelectOption{{Value: acp.SessionConfigValueId(name), Name: name}}),
	}
	with := conversation.Own
	workers := []acp.SessionConfigSelectOption{{Value: conversation.Own, Name: "Redline's own model"}}
	for _, o := range a.Turns.Outsiders.Agents(ctx) {
		workers = append(workers, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueId(o.Name), Name: o.Name})
		if o.Default && chosen.With == "" {
			with = o.Name
		}
	}
	if slices.ContainsFunc(workers, func(w acp.SessionConfigSelectOption) bool { return string(w.Value) == chosen.With }) {
		with = chosen.With
	}
	if len(workers) > 1 {
		options = append(options, selectOf(optionWith, "Who works", "", with, workers))
	}
	return modes, options
}

func selectOf(id, name string, category acp.SessionConfigOptionCategory, current string, values []acp.SessionConfigSelectOption) acp.SessionConfigOption {
	list := acp.SessionConfigSelectOptionsUngrouped(values)
	o := &acp.SessionConfigOptionSelect{
		Id: acp.SessionConfigId(id), Name: name, CurrentValue: acp.SessionConfigValueId(current), Type: "select",
		Options: acp.SessionConfigSelectOptions{Ungrouped: &list},
	}
	if category != "" {
		o.Category = &category
	}
	return acp.SessionConfigOption{Select: o}
}

// setMode changes the mode of a session's messages.
func (s *server) setMode(ctx context.Context, params json.RawMessage) (any, error) {
	r, err := read[acp.SetSessionModeRequest](params, "sessionId", "modeId")
	if err != nil {
		return nil, err
	}
	n, err := s.session(r.SessionId)
	if err != nil {
		return nil, err
	}
	if err := n.choose(optionMode, string(r.ModeId)); err != nil {
		return nil, err
	}
	_, options := n.choices(ctx)
	return acpwire.Answered{Result: acp.SetSessionModeResponse{}, Then: func() {
		n.tell(acp.SessionUpdate{ConfigOptionUpdate: &acp.SessionConfigOptionUpdate{ConfigOptions: options}})
	}}, nil
}

// setConfigOption changes a config option of a session, and answers with all of them.
func (s *server) setConfigOption(ctx context.Context, params json.RawMessage) (any, error) {
	r, err := read[struct {
		SessionID acp.SessionId `json:"sessionId"`
		ConfigID  string        `json:"configId"`
		Value     string        `json:"value"`
	}](params, "sessionId", "configId", "value")
	if err != nil {
		return nil, err
	}
	n, err := s.session(r.SessionID)
	if err != nil {
		return nil, err
	}
	if err := n.choose(r.ConfigID, r.Value); err != nil {
		return nil, err
	}
	modes, options := n.choices(ctx)
	return acpwire.Answered{Result: acp.SetSessionConfigOptionResponse{ConfigOptions: options}, Then: func() {
		if r.ConfigID == optionMode {
			n.tell(acp.SessionUpdate{CurrentModeUpdate: &acp.SessionCurrentModeUpdate{CurrentModeId: modes.CurrentModeId}})
		}
	}}, nil
}

// choose changes what the user has chosen for the conversation.
func (n *chatSession) choose(option, value string) error {
	_, options := n.choices(n.place.ctx)
	known := slices.ContainsFunc(options, func(o acp.SessionConfigOption) bool {
		return string(o.Select.Id) == option && slices.ContainsFunc(*o.Select.Options.Ungrouped, func(v acp.SessionConfigSelectOption) bool { return string(v.Value) == value })
	})
	a := n.place.agent
	switch {
	case !known:
		return invalid("There is no %s with the value %s.", quoted(option), quoted(value))
	case option == optionMode && value == "auto":
		a.Conversations.ChooseMode(n.conversation(), "")
	case option == optionMode:
		a.Conversations.ChooseMode(n.conversation(), value)
	case option == optionWith:
		a.Conversations.ChooseWith(n.conversation(), value)
	}
	return nil
}

// chosen tells the client what the user has chosen since in words, such as /mode.
func (n *chatSession) chosen() {
	ctx := n.place.ctx
	now, _ := n.place.agent.Conversations.Choices(ctx, n.conversation()) // with an error, the last that are known
	n.mu.Lock()
	told := n.told
	n.mu.Unlock()
	if now.Mode == told.Mode && now.With == told.With {
		return // without looking for the outside agents
	}
	modes, options := n.choices(ctx)
	if now.Mode != told.Mode {
		n.tell(acp.SessionUpdate{CurrentModeUpdate: &acp.SessionCurrentModeUpdate{CurrentModeId: modes.CurrentModeId}})
	}
	n.tell(acp.SessionUpdate{ConfigOptionUpdate: &acp.SessionConfigOptionUpdate{ConfigOptions: options}})
}
