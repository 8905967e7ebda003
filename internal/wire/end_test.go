package wire

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// The end of a connection waits for all work, whoever started it: once a server has ended, nothing
// that the user sees of it changes any more.
func TestTheEndWaitsForWhatWorksOn(t *testing.T) {
	for name, begin := range map[string]func(r *Router, c *Conn, work func(context.Context)){
		"started by a notification": func(r *Router, c *Conn, work func(context.Context)) {
			HandleNotification(r, "work", func(context.Context, *NoParams) error { c.Go("work", work); return nil })
		},
		"a notification": func(r *Router, c *Conn, work func(context.Context)) {
			HandleNotification(r, "work", func(ctx context.Context, _ *NoParams) error { c.Close(); work(ctx); return nil })
		},
		"a request whose client is gone": func(r *Router, c *Conn, work func(context.Context)) {
			HandleRequest(r, "work", func(context.Context, *NoParams) (Run, error) {
				return func(ctx context.Context) (any, error) {
					<-ctx.Done()
					_ = c.Notify(ctx, "note", nil) // cannot be written
					work(ctx)
					return nil, nil
				}, nil
			})
		},
		"what that starts": func(r *Router, c *Conn, work func(context.Context)) {
			HandleNotification(r, "work", func(context.Context, *NoParams) error {
				c.Go("first", func(ctx context.Context) { <-ctx.Done(); c.Go("second", work) })
				return nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				over := false
				p := initialized(t, Options{}, func(r *Router, c *Conn) {
					begin(r, c, func(ctx context.Context) {
						<-ctx.Done()
						time.Sleep(answerGrace / 2)
						over = true
					})
				})
				p.send(`{"jsonrpc":"2.0","method":"work"` + map[bool]string{true: `,"id":1`}[name == "a request whose client is gone"] + `}`)
				synctest.Wait()
				_ = p.raw.Close()
				<-p.conn.Done()
				if !over {
					t.Error("the connection has ended, and something works on")
				}
				time.Sleep(answerGrace) // until it has ended
			})
		})
	}
}

// Work that does not end delays nobody.
func TestTheEndIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		defer close(stuck)
		p := initialized(t, Options{}, func(r *Router, c *Conn) {
			HandleNotification(r, "work", func(context.Context, *NoParams) error {
				c.Go("work", func(context.Context) { <-stuck })
				return nil
			})
		})
		p.send(`{"jsonrpc":"2.0","method":"work"}`)
		synctest.Wait()
		began := time.Now()
		_ = p.raw.Close()
		<-p.conn.Done()
		if took := time.Since(began); took > answerGrace+flushGrace {
			t.Errorf("the end took %v", took)
		}
	})
}
