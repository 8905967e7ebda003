package mcp

import (
	"context"
	stdjson "encoding/json"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// versions are the versions of the protocol that have the methods below in the form below. The first
// is asked for: every server knows it, or answers with one that it knows.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// initialize agrees with the server on a version of the protocol.
func (c *client) initialize(ctx context.Context) error {
	var result struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	err := c.call(ctx, "initialize", map[string]any{
		"protocolVersion": versions[0],
		"capabilities":    struct{}{},
		"clientInfo":      map[string]string{"name": "redline", "version": "1"},
	}, &result)
	if err != nil {
		return err
	}
	if !slices.Contains(versions, result.ProtocolVersion) {
		return fmt.Errorf("it speaks version %q of the protocol", oneLine(result.ProtocolVersion, maxName))
	}
	c.to.agreed(result.ProtocolVersion)
	return c.notify(ctx, "notifications/initialized", struct{}{})
}

// serverTool is a tool as a server describes it.
type serverTool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	InputSchema any            `json:"inputSchema"`
	Annotations toolAnnotation `json:"annotations"`
}

type toolAnnotation struct {
	ReadOnlyHint bool `json:"readOnlyHint"`
}

// listTools returns a page of the tools, and where the next one starts; "" if there is none.
func (c *client) listTools(ctx context.Context, cursor string) (tools []serverTool, next string, err error) {
	var params struct {
		Cursor string `json:"cursor,omitzero"`
	}
	var page struct {
		Tools      []serverTool `json:"tools"`
		NextCursor string       `json:"nextCursor"`
	}
	params.Cursor = cursor
	err = c.call(ctx, "tools/list", params, &page)
	return page.Tools, page.NextCursor, err
}

// toolResult is the answer of a tool.
type toolResult struct {
	Content           []content      `json:"content"`
	StructuredContent jsontext.Value `json:"structuredContent"`
	IsError           bool           `json:"isError"`
}

// content is a part of an answer. Its type says which members it has.
type content struct {
	Type     string `json:"type"` // text, image, audio, resource, resource_link
	Text     string `json:"text"`
	Data     string `json:"data"` // base64
	URI      string `json:"uri"`
	Resource struct {
		Text string `json:"text"`
	} `json:"resource"`
}

// callTool calls a tool.
func (c *client) callTool(ctx context.Context, name string, arguments stdjson.RawMessage) (*toolResult, error) {
	result := new(toolResult)
	err := c.call(ctx, "tools/call", struct {
		Name      string             `json:"name"`
		Arguments stdjson.RawMessage `json:"arguments"`
	}{name, arguments}, result)
	return result, err
}
