// Package retention decides which snapshots may go. It touches no disk.
package retention

import (
	"fmt"
	"sort"
	"time"
)

// Snapshot is what the policy has to know of one.
type Snapshot struct {
	Name     string
	Taken    time.Time
	Verified bool
}

// Policy says how many are kept; the zero value keeps only the newest verified one.
type Policy struct {
	Daily, Weekly int
}

// Doomed returns what may be removed, the oldest first.
func (p Policy) Doomed(snapshots []Snapshot) []Snapshot {
	sorted := append([]Snapshot(nil), snapshots...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].Taken.After(sorted[j].Taken) })
	kept := map[string]bool{}
	keepNewest(sorted, kept, p.Daily, func(t time.Time) string { return t.Format("2006-01-02") })
	keepNewest(sorted, kept, p.Weekly, func(t time.Time) string {
		year, week := t.ISOWeek()
		return fmt.Sprintf("%d-%02d", year, week)
	})
	var doomed []Snapshot
	for i := len(sorted) - 1; i >= 0; i-- {
		if !kept[sorted[i].Name] {
			doomed = append(doomed, sorted[i])
		}
	}
	return doomed
}

func keepNewest(sorted []Snapshot, kept map[string]bool, most int, period func(time.Time) string) {
	seen := map[string]bool{}
	for _, snapshot := range sorted {
		name := period(snapshot.Taken)
		if seen[name] || len(seen) == most {
			continue
		}
		seen[name] = true
		kept[snapshot.Name] = true
	}
}
