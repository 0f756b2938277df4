package cmd

import (
	"fmt"
	"io"

	"example.org/coldstore/internal/store"
)

func verify(arguments []string, out io.Writer) error {
	if len(arguments) != 1 {
		return ErrUsage
	}
	local, err := store.Open(arguments[0])
	if err != nil {
		return err
	}
	broken := 0
	for _, snapshot := range local.Snapshots() {
		if err := local.Check(snapshot); err != nil {
			fmt.Fprintf(out, "%s: %v\n", snapshot.Name, err)
			broken++
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d broken", broken)
	}
	return nil
}
