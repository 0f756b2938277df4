package cmd

import (
	"flag"
	"fmt"
	"io"

	"example.org/coldstore/internal/retention"
	"example.org/coldstore/internal/store"
)

func prune(arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("prune", flag.ContinueOnError)
	daily := flags.Int("keep-daily", 7, "newest snapshot of so many days")
	weekly := flags.Int("keep-weekly", 5, "newest snapshot of so many weeks")
	yes := flags.Bool("yes", false, "remove; without it only say what would go")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	local, err := store.Open(flags.Arg(0))
	if err != nil {
		return err
	}
	policy := retention.Policy{Daily: *daily, Weekly: *weekly}
	for _, snapshot := range policy.Doomed(local.Snapshots()) {
		fmt.Fprintln(out, snapshot.Name)
		if *yes {
			if err := local.Remove(snapshot); err != nil {
				return err
			}
		}
	}
	return nil
}
