package config

import "testing"

func ownedByTester(*testing.T) {}
