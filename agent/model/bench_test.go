package model_test

import (
	"testing"

	"redline/agent/model"
	"redline/agent/model/modeltest"
)

// BenchmarkThousandFragments reads one reply of a thousand fragments of text.
func BenchmarkThousandFragments(b *testing.B) {
	parts := make([]modeltest.Part, 1000)
	for i := range parts {
		parts[i] = modeltest.Text("x")
	}
	body := recorded(b, modeltest.Stream(parts...))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		server := modeltest.New(raw(body))
		if reply, err := inProcess(server).Complete(b.Context(), hello(), nil); err != nil || len(reply.Text) != 1000 {
			b.Fatal(len(reply.Text), err)
		}
	}
}

// BenchmarkNew measures what a provider costs at the start of the process.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		model.New(model.Config{BaseURL: "https://model.test/v1", APIKey: testKey})
	}
}

// BenchmarkBuiltin measures a request that the built-in model answers at once.
func BenchmarkBuiltin(b *testing.B) {
	p := model.New(model.Config{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Complete(b.Context(), hello(), nil); err != nil {
			b.Fatal(err)
		}
	}
}
