// Package store keeps snapshots in a folder: DATA/NAME beside NAME.manifest.
package store

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/coldstore/internal/retention"
)

const layout = "20060102T150405Z"

// Local is an opened store.
type Local struct {
	root      string
	snapshots []retention.Snapshot
}

// Open reads the names of a store; it reads no data.
func Open(root string) (*Local, error) {
	names, err := filepath.Glob(filepath.Join(root, "*.manifest"))
	if err != nil {
		return nil, err
	}
	local := &Local{root: root}
	for _, name := range names {
		base := strings.TrimSuffix(filepath.Base(name), ".manifest")
		taken, err := time.Parse(layout, base)
		if err != nil {
			continue
		}
		local.snapshots = append(local.snapshots, retention.Snapshot{Name: base, Taken: taken})
	}
	return local, nil
}

// Snapshots returns what Open found.
func (l *Local) Snapshots() []retention.Snapshot { return l.snapshots }

// Remove takes the manifest first: data without one is garbage, a manifest without data is damage.
func (l *Local) Remove(snapshot retention.Snapshot) error {
	if err := os.Remove(filepath.Join(l.root, snapshot.Name+".manifest")); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(l.root, "data", snapshot.Name))
}
