package main

import "context"

func (f *setupFlags) ask(ctx context.Context, s streams) error { return nil }
