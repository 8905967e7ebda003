//go:build unix

package runner

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"redline/workspace/network"
	"redline/workspace/world"
)

// gate is the way out of a world for a command with named peers, in the process that starts it: a proxy,
// whose listeners the helper opens in the network of the world and sends here. nil is none.
type gate struct {
	child    *os.File // the helper's end of the socket for listeners
	from     *net.UnixConn
	proxy    *network.Proxy
	taking   sync.WaitGroup
	closing  sync.Once
	peers    []network.Peer
	wholeNet bool // the command has the network of the host
}

// gateFor prepares the network of a command in a world.
func gateFor(c *Command) (*gate, error) {
	switch {
	case c.World == nil || !c.Network.Host && len(c.Network.Peers) == 0:
		return nil, nil
	case c.Network.Host:
		if c.probe == "" {
			if err := hostNetworkOf(c.World.Kind, c.Left); err != nil {
				return nil, err
			}
		}
		w := *c.World
		w.HostNetwork = true
		if names, err := filepath.EvalSymlinks(resolvers); err == nil && !world.InSystem(names) {
			w.Programs = append(w.Programs[:len(w.Programs):len(w.Programs)], names)
		}
		c.World = &w
		return &gate{wholeNet: true}, nil
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
	if err != nil {
		return nil, fmt.Errorf("its network cannot be prepared: %w", err)
	}
	unix.CloseOnExec(pair[0])
	unix.CloseOnExec(pair[1])
	own := os.NewFile(uintptr(pair[0]), "listeners")
	defer own.Close()
	g := &gate{child: os.NewFile(uintptr(pair[1]), "listeners"), peers: c.Network.Peers}
	from, err := net.FileConn(own)
	if err != nil {
		_ = g.child.Close()
		return nil, fmt.Errorf("its network cannot be prepared: %w", err)
	}
	g.from, g.proxy = from.(*net.UnixConn), network.NewProxy(c.Network)
	g.taking.Go(g.take)
	return g, nil
}

// resolvers is the file that names the name servers. On many systems it leads to a folder that a world
// does not show.
const resolvers = "/etc/resolv.conf"

// take takes listeners until the socket is closed.
func (g *gate) take() {
	text, rights := make([]byte, 64), make([]byte, unix.CmsgSpace(4))
	for {
		n, m, _, _, err := g.from.ReadMsgUnix(text, rights)
		if err != nil || n == 0 {
			return
		}
		l, err := listenerIn(rights[:m])
		if err != nil {
			continue
		}
		switch i, err := strconv.Atoi(string(text[:n])); {
		case err != nil || i >= len(g.peers):
			_ = l.Close()
		case i < 0:
			g.proxy.Serve(l)
		default:
			g.proxy.Forward(l, g.peers[i])
		}
	}
}

// listenerIn returns the listener that a message carries.
func listenerIn(rights []byte) (net.Listener, error) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(err, errors.New("it carries no listener"))
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, errors.Join(err, errors.New("it carries no listener"))
	}
	unix.CloseOnExec(fds[0])
	f := os.NewFile(uintptr(fds[0]), "listener")
	defer f.Close()
	return net.FileListener(f)
}

// close ends what still uses the network of the world.
func (g *gate) close() {
	if g == nil || g.proxy == nil {
		return
	}
	g.closing.Do(func() {
		_ = g.from.Close()
		_ = g.child.Close()
		g.taking.Wait()
		g.proxy.Close()
	})
}

// report closes the gate, and returns what came of it. last is the last notice of the helper.
func (g *gate) report(last notice) network.Report {
	switch {
	case g == nil:
		return network.Report{}
	case g.wholeNet:
		return network.Report{Host: true}
	}
	g.close()
	r := g.proxy.Report()
	r.Past = last.Unreached
	return r
}

// openGate opens, in a helper and in the network of its world, what the gate listens to. to is the socket to
// the parent process. The command, which inherits the environment, finds the proxy there.
func openGate(peers []network.Peer, to *os.File) error {
	defer to.Close()
	for i, p := range peers {
		for n, address := range p.Local() {
			if _, err := listenFor(to, strconv.Itoa(i), address); err != nil && n == 0 {
				return fmt.Errorf("%s cannot be opened in its network: %w", address, err)
			}
		}
	}
	port, err := listenFor(to, "-1", netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 0))
	if err != nil {
		return fmt.Errorf("a proxy cannot be opened in its network: %w", err)
	}
	for name, value := range network.Environment(port) {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// listenFor opens a listener and sends it to the parent process.
func listenFor(to *os.File, as string, at netip.AddrPort) (port uint16, err error) {
	l, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(at))
	if err != nil {
		return 0, errors.Unwrap(err)
	}
	defer l.Close()
	f, err := l.File()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if err := unix.Sendmsg(int(to.Fd()), []byte(as), unix.UnixRights(int(f.Fd())), nil, 0); err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).AddrPort().Port(), nil
}
