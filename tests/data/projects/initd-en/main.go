// Command coldstore keeps snapshots and forgets them by rule.
package main

import (
	"fmt"
	"os"

	"example.org/coldstore/cmd"
)

func main() {
	if err := cmd.Run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "coldstore:", err)
		os.Exit(1)
	}
}
