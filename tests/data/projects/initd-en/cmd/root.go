// Package cmd has one file for each command.
package cmd

import (
	"errors"
	"fmt"
	"io"
)

// ErrUsage is what a command line that nobody understands ends in.
var ErrUsage = errors.New("usage: coldstore take|prune|verify …")

type command func(arguments []string, out io.Writer) error

var commands = map[string]command{
	"prune":  prune,
	"verify": verify,
}

// Run does what the arguments say.
func Run(arguments []string, out io.Writer) error {
	if len(arguments) == 0 {
		return ErrUsage
	}
	run, known := commands[arguments[0]]
	if !known {
		return fmt.Errorf("%w (%q is no command)", ErrUsage, arguments[0])
	}
	return run(arguments[1:], out)
}
